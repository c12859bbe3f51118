"""How hard to measure: a closed table of two modes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class TimingMode(Enum):
    """The mode that a run chooses."""

    OFF = "off"
    QUICK = "quick"
    PRECISE = "precise"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """When to stop measuring one call in one round, and the number of rounds.

    A round ends when the interval of the median is as narrow as `width_percent` of it, after `limit_ns`, or after
    `max_samples`, but not before `min_samples`; if these take ten times the limit, it ends then. A sample is the mean
    over as many calls as fill `batch_ns`, or a single longer call.
    """

    rounds: int
    warm_up_ns: int
    batch_ns: int
    min_samples: int
    max_samples: int
    limit_ns: int
    width_percent: float
    confidence_percent: int = 95


EFFORTS = {
    TimingMode.QUICK: Effort(
        rounds=1,
        warm_up_ns=50_000_000,
        batch_ns=500_000,
        min_samples=7,
        max_samples=200,
        limit_ns=100_000_000,
        width_percent=5,
    ),
    TimingMode.PRECISE: Effort(
        rounds=6,
        warm_up_ns=100_000_000,
        batch_ns=500_000,
        min_samples=5,
        max_samples=500,
        limit_ns=200_000_000,
        width_percent=1,
    ),
}
"""The effort of each mode. Six rounds are the fewest whose medians have an interval of 95 %."""
