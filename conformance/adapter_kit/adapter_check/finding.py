"""The finding of one probe, and the exit code for all findings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum

from conformance.language.verdict import ExitCode


class State(Enum):
    """How a probe ended."""

    OK = "ok"
    NOTE = "note"
    """Worth knowing, but no fault of the adapter."""
    PROBLEM = "problem"
    INCONCLUSIVE = "inconclusive"
    """There is not enough evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What an adapter should do, whether it does, the evidence, and what to change."""

    requirement: str
    state: State
    seen: tuple[str, ...] = ()
    fix: str = ""


def found(
    requirement: str,
    seen: Sequence[str],
    fix: str,
    state: State = State.PROBLEM,
    *,
    among: Collection[object] | None = None,
) -> Finding:
    """A problem, or a finding of another state, with the evidence in `seen` without duplicates; OK if there is none.

    `among` are the answers that could show a problem: without any, the finding is inconclusive. None if all could.
    """
    if not seen:
        is_open = among is not None and not among
        return Finding(requirement=requirement, state=State.INCONCLUSIVE if is_open else State.OK)
    return Finding(requirement=requirement, state=state, seen=tuple(dict.fromkeys(seen)), fix=fix)


def exit_code(findings: Sequence[Finding], *, has_started: bool) -> ExitCode:
    """HARNESS if the adapter did not start, since it was not checked; else by whether there is a problem."""
    if not has_started:
        return ExitCode.HARNESS
    has_problem = any(finding.state is State.PROBLEM for finding in findings)
    return ExitCode.NOT_CONFORMING if has_problem else ExitCode.CONFORMING
