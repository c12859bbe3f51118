"""Medians with intervals that assume no distribution: only ranks decide, so outliers need no rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval, from low to high."""

    low: float
    high: float

    def is_apart_from(self, other: Interval) -> bool:
        """Whether both intervals have no value in common."""
        return self.high < other.low or other.high < self.low


def median_interval(ordered: Sequence[float], confidence_percent: int) -> Interval | None:
    """The interval of the sign test for the median of the distribution; None for too few values.

    `ordered` is ascending. Equal values do no harm.
    """
    outside = _ranks_outside(len(ordered), confidence_percent)
    return Interval(ordered[outside - 1], ordered[len(ordered) - outside]) if outside else None


def interval_over_rounds(rounds: Sequence[Sequence[float]], confidence_percent: int) -> Interval | None:
    """The interval for the median of values from several rounds; None for too few values.

    Values of one round resemble each other more than those of another. So the interval of all values is widened to hold
    that of the rounds' medians, if there are enough rounds.
    """
    pooled = median_interval(sorted(value for values in rounds for value in values), confidence_percent)
    between = median_interval(sorted(median(values) for values in rounds), confidence_percent)
    if pooled is None or between is None:
        return pooled
    return Interval(min(pooled.low, between.low), max(pooled.high, between.high))


@lru_cache(maxsize=4096)
def _ranks_outside(size: int, confidence_percent: int) -> int:
    """How many values at either end lie outside the interval, including its own bound; 0 if no interval is certain."""
    below, outside = 0, 0
    while 200 * (outside + math.comb(size, below)) <= (100 - confidence_percent) * 2**size:
        outside += math.comb(size, below)
        below += 1
    return below
