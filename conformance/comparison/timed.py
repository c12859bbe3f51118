"""Decides whether a timed case became slower beyond noise, from each run's interval for the median of its steady calls.

A claim needs two intervals that do not overlap, and medians further apart than those of two runs of the same framework,
because the intervals cover only the noise within a run. It also needs several rounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from conformance.records.record import TimeEntry
from conformance.workers.timing.median import Interval

MIN_RATIO = 1.1
"""The ratio of medians from which a call counts as slower."""
MIN_ROUNDS = 6
"""Rounds that an interval needs to account for drift."""


class Pace(Enum):
    """What can be concluded from the times of one case."""

    SLOWER = "slower beyond noise"
    FASTER = "faster beyond noise"
    ALIKE = "no difference beyond noise"
    UNCLEAR = "too noisy to say"
    OTHER_MACHINE = "another machine or Python: times cannot be compared"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedChange:
    """How the steady time of one case changed: the ratio new / old, and both medians."""

    target: str
    case: str
    pace: Pace
    ratio: float
    old_ns: float
    new_ns: float


def timed_change(target: str, case: str, old: TimeEntry, new: TimeEntry) -> TimedChange:
    """What can be concluded about one case that both runs timed."""
    return TimedChange(
        target=target,
        case=case,
        pace=_pace(old, new),
        ratio=new.median_ns / old.median_ns,
        old_ns=old.median_ns,
        new_ns=new.median_ns,
    )


def _pace(old: TimeEntry, new: TimeEntry) -> Pace:
    before, after = _interval(old), _interval(new)
    if before is None or after is None or min(len(old.rounds_ns), len(new.rounds_ns)) < MIN_ROUNDS:
        return Pace.UNCLEAR
    if before.is_apart_from(after):
        if new.median_ns >= MIN_RATIO * old.median_ns:
            return Pace.SLOWER
        if old.median_ns >= MIN_RATIO * new.median_ns:
            return Pace.FASTER
    return Pace.ALIKE


def _interval(time: TimeEntry) -> Interval | None:
    return None if time.low_ns is None or time.high_ns is None else Interval(time.low_ns, time.high_ns)
