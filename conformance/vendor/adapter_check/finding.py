"""What one probe found, and what all of them mean for the caller of the command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from conformance.spec.verdict import ExitCode


class State(Enum):
    """How a probe ended."""

    OK = "ok"
    NOTE = "note"
    """Worth knowing, and no fault of the adapter's."""
    PROBLEM = "problem"
    INCONCLUSIVE = "inconclusive"
    """There is not enough evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What an adapter should do, whether it does, what was seen, and what to change."""

    demand: str
    state: State
    seen: tuple[str, ...] = ()
    fix: str = ""


def found(demand: str, seen: Sequence[str], fix: str) -> Finding:
    """A problem for everything that was seen, each told once; all is well where nothing was."""
    if not seen:
        return Finding(demand=demand, state=State.OK)
    return Finding(demand=demand, state=State.PROBLEM, seen=tuple(dict.fromkeys(seen)), fix=fix)


def noted(demand: str, seen: Sequence[str], fix: str) -> Finding:
    """As `found`, for what is no fault."""
    if not seen:
        return Finding(demand=demand, state=State.OK)
    return Finding(demand=demand, state=State.NOTE, seen=tuple(seen), fix=fix)


def inconclusive(demand: str) -> Finding:
    """A finding without enough evidence."""
    return Finding(demand=demand, state=State.INCONCLUSIVE)


def exit_code(findings: Sequence[Finding], *, has_started: bool) -> ExitCode:
    """An adapter that did not start could not be checked."""
    if not has_started:
        return ExitCode.HARNESS
    has_problem = any(finding.state is State.PROBLEM for finding in findings)
    return ExitCode.NOT_CONFORMING if has_problem else ExitCode.CONFORMING
