"""How hard to measure: a closed table of two modes."""

from __future__ import annotations

from enum import Enum

from conformance.border.measurement import Effort


class TimingMode(Enum):
    """The mode that a run chooses."""

    OFF = "off"
    QUICK = "quick"
    PRECISE = "precise"


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
