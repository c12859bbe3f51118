"""What a run does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from conformance.formats.adapter_file import TargetRequest
from conformance.formats.suite import Suite
from conformance.planning.run_plan import Shard
from conformance.planning.selection import Selection
from conformance.sessions.dispatch import TimingMode

Probe = Callable[[TargetRequest], list[str]]
"""Names the operators and types that a target answers correctly but does not declare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What to run, and the path of the log. With `resume`, the run continues the log; otherwise it replaces it.

    `jobs` is the number of child processes at a time; a target with many checks gets several. A `probe` runs for each
    target before its first check. With `strict_records`, a recorded deviation that no longer happens fails the run,
    unless the bundled cases were edited. With `reuse`, the path of a history, answers of earlier runs are taken over
    from it.
    """

    suite: Suite
    selection: Selection
    targets: tuple[TargetRequest, ...]
    log: Path
    timeout_s: float
    jobs: int
    resume: bool = False
    shard: Shard | None = None
    timing: TimingMode = TimingMode.OFF
    probe: Probe | None = None
    strict_records: bool = False
    reuse: Path | None = None
