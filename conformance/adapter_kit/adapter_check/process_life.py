"""Probes of the adapter's process: how it starts, answers and ends."""

from __future__ import annotations

from conformance.adapter_kit.adapter_check.finding import Finding, State, found
from conformance.adapter_kit.adapter_check.interview import Interview

_SLOW_START_S = 30.0


def starts(interview: Interview) -> Finding:
    """Whether the adapter starts, within _SLOW_START_S seconds."""
    requirement = "It starts, and says what it is."
    if interview.description is None:
        return found(requirement, [interview.broken_off], "")
    seen = [f"it took {interview.start_s:.0f} s, and is started again after each crash"]
    fix = "import what is needed and nothing more in `__init__`, and compile nothing there"
    return found(requirement, seen if interview.start_s > _SLOW_START_S else [], fix)


def speaks_the_protocol(interview: Interview) -> Finding:
    """Whether each request got one answer, in order, with nothing between them."""
    seen = [interview.broken_off] if interview.broken_off else []
    fix = "answer each request once, in order, and keep standard output for that (docs/reference/protocol.md)"
    return found("It answers every request once, in order, with nothing between answers.", seen, fix)


def ends(interview: Interview) -> Finding:
    """Whether the process ends when its input does, and leaves no other process behind."""
    seen = [f"left behind: process {line}" for line in interview.left_behind]
    if interview.was_killed:
        seen.append("it did not end when its input did, and was killed")
    return found("It ends when its input ends, and leaves no process behind.", seen, "end every process that it starts")


def is_quiet(interview: Interview) -> Finding:
    """Whether nothing is printed to standard error, which also receives a Python adapter's standard output."""
    lines = [line.strip() for line in interview.written.splitlines() if line.strip()]
    seen = [f"its last line: {lines[-1]}"] if lines else []
    fix = "turn logging down; in another language than Python a line on standard output breaks the protocol"
    return found("It prints nothing.", seen, fix, State.NOTE)
