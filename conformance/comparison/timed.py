"""Whether a timed case became slower beyond its noise: each run has an interval for the median of its steady calls.

A claim needs two intervals without a value in common, and medians that are further apart than two runs of the same
framework are: the intervals know what happened within a run only. Single rounds do not suffice for one.
"""

from __future__ import annotations

from dataclasses import dataclass

from conformance.comparison.pace import PaceFinding
from conformance.records.record import TimeEntry
from conformance.workers.timing.median import Interval

MIN_RATIO = 1.1
"""How many times as long a call must take to be called slower."""
MIN_ROUNDS = 6
"""The rounds that an interval needs to know of drift."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedChange:
    """How the steady time of one case changed: new / old, and both medians."""

    target: str
    case: str
    claim: PaceFinding
    ratio: float
    old_ns: float
    new_ns: float


def timed_change(target: str, case: str, old: TimeEntry, new: TimeEntry) -> TimedChange:
    """What can be said of one case that both runs timed."""
    return TimedChange(
        target=target,
        case=case,
        claim=_claim(old, new),
        ratio=new.median_ns / old.median_ns,
        old_ns=old.median_ns,
        new_ns=new.median_ns,
    )


def _claim(old: TimeEntry, new: TimeEntry) -> PaceFinding:
    before, after = _interval(old), _interval(new)
    if before is None or after is None or min(len(old.rounds_ns), len(new.rounds_ns)) < MIN_ROUNDS:
        return PaceFinding.UNCLEAR
    if before.is_apart_from(after):
        if new.median_ns >= MIN_RATIO * old.median_ns:
            return PaceFinding.SLOWER
        if old.median_ns >= MIN_RATIO * new.median_ns:
            return PaceFinding.FASTER
    return PaceFinding.ALIKE


def _interval(time: TimeEntry) -> Interval | None:
    return None if time.low_ns is None or time.high_ns is None else Interval(time.low_ns, time.high_ns)
