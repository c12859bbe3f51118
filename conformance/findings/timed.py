"""Decides which of two times is the longer one beyond noise, from their intervals for the median of steady calls.

A claim needs two intervals that do not overlap, and medians further apart than those of two runs of the same framework,
because the intervals cover only the noise within a run. It also needs several rounds. Comparisons of runs and of
targets go by the same rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from conformance.border.median import Interval
from conformance.log.record import TimeEntry

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
        pace=pace_of(old, new),
        ratio=new.median_ns / old.median_ns,
        old_ns=old.median_ns,
        new_ns=new.median_ns,
    )


def pace_of(old: TimeEntry, new: TimeEntry) -> Pace:
    """Whether the second time is longer or shorter than the first one."""
    before, after = clear_interval(old), clear_interval(new)
    if before is None or after is None:
        return Pace.UNCLEAR
    if before.is_apart_from(after):
        if new.median_ns >= MIN_RATIO * old.median_ns:
            return Pace.SLOWER
        if old.median_ns >= MIN_RATIO * new.median_ns:
            return Pace.FASTER
    return Pace.ALIKE


def clear_interval(time: TimeEntry) -> Interval | None:
    """The interval for the median; None if it is missing, or has too few rounds to account for drift."""
    if time.low_ns is None or time.high_ns is None or len(time.rounds_ns) < MIN_ROUNDS:
        return None
    return Interval(time.low_ns, time.high_ns)
