"""Decides whether a target became slower beyond noise, by a distribution-free interval for the ratio of its times.

A log has one time of each call, and single times are noisy, so nothing is claimed about one check. Products and forms
of one family take similar times, so each family counts once, with its median ratio. The interval is that of the sign
test for the median over the families. It covers only the noise between families; a margin that the interval must clear
accounts for what slows a whole run, such as another program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import median

from conformance.workers.timing.median import Interval, median_interval

CONFIDENCE_PERCENT = 99
MARGIN = 1.5
"""A claim needs an interval that lies entirely beyond this ratio or its inverse."""


class TimedStage(Enum):
    """What was timed."""

    PREPARE = "prepare"
    RUN = "run"


class PaceFinding(Enum):
    """What can be concluded from the times."""

    SLOWER = "slower beyond noise"
    FASTER = "faster beyond noise"
    ALIKE = "no difference beyond noise"
    UNCLEAR = "too noisy to tell"
    TOO_FEW = "too few cases to tell"
    OTHER_MACHINE = "another machine or Python: nothing can be told"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaceChange:
    """How the times of a target with an operator changed: the ratio new / old, its interval, and how many families."""

    target: str
    operator: str
    stage: TimedStage
    claim: PaceFinding
    ratio: float
    low: float | None
    high: float | None
    cases: int


def pace_change(target: str, operator: str, stage: TimedStage, ratios: Mapping[str, Sequence[float]]) -> PaceChange:
    """What can be concluded from the ratios of times, new / old, by family."""
    by_case = sorted(median(found) for found in ratios.values())
    interval = median_interval(by_case, CONFIDENCE_PERCENT)
    return PaceChange(
        target=target,
        operator=operator,
        stage=stage,
        claim=_claim(interval),
        ratio=median(by_case),
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        cases=len(by_case),
    )


def _claim(interval: Interval | None) -> PaceFinding:
    if interval is None:
        return PaceFinding.TOO_FEW
    if interval.low > MARGIN:
        return PaceFinding.SLOWER
    if interval.high < 1 / MARGIN:
        return PaceFinding.FASTER
    return PaceFinding.ALIKE if interval.low > 1 / MARGIN and interval.high < MARGIN else PaceFinding.UNCLEAR
