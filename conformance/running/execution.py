"""The interface of an execution: where the engines of a run are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from conformance.judging.deviation import Deviation
from conformance.log.log_file import RunLogWriter
from conformance.log.record import RecordedDeviation, TargetEntry
from conformance.planning.run_plan import RunPlan
from conformance.running.build_header import deviation_entry


@dataclass(slots=True, kw_only=True)
class RunTarget:
    """A target in a run: its description, its recorded deviations, and its number of finished checks."""

    entry: TargetEntry
    recorded: list[RecordedDeviation]
    done: int = 0

    @classmethod
    def started(cls, entry: TargetEntry, deviations: Iterable[Deviation]) -> RunTarget:
        """A target that has started, with the deviations that apply to it."""
        return cls(entry=entry, recorded=[deviation_entry(entry.name, item) for item in deviations])


class Execution(Protocol):
    """The targets of one run, wherever their engines are."""

    def started(self) -> list[RunTarget]:
        """The targets, once all have started or failed to."""

    def run(self, plan: RunPlan, targets: Sequence[RunTarget], log: RunLogWriter, on_tick: Callable[[], None]) -> str:
        """Write the records of all checks that a target has not done yet, of each target in the order of the plan.

        The caller's thread runs `on_tick` several times a second. Returns why the records are not complete, or an empty
        text; stopping needs no reason.
        """

    def end(self) -> None:
        """End all workers."""
