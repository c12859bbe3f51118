"""Whether a timed case became slower beyond its noise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.log.answers import Pace, timed_change
from conformance.log.record import TimeEntry


def time(median: float, low: float | None, high: float | None, rounds: int = 6) -> TimeEntry:
    return TimeEntry(
        median_ns=median,
        low_ns=low,
        high_ns=high,
        fastest_ns=median,
        slowest_ns=median,
        samples=60,
        loops=[1] * rounds,
        rounds_ns=[median] * rounds,
    )


OLD = time(100, 98, 102)


@pytest.mark.parametrize(
    ("new", "pace"),
    [
        (time(150, 147, 153), Pace.SLOWER),
        (time(60, 59, 61), Pace.FASTER),
        (time(111, 108, 114), Pace.SLOWER),
        (time(109, 108, 110), Pace.ALIKE),
        (time(150, 101, 200), Pace.ALIKE),
        (time(150, None, None), Pace.UNCLEAR),
        (time(150, 147, 153, rounds=1), Pace.UNCLEAR),
    ],
)
def test_a_claim_needs_intervals_apart_and_a_ratio(new: TimeEntry, pace: Pace) -> None:
    assert timed_change("toy@1.0", "onnx.Split-18/a", OLD, new).pace is pace


def test_slower_and_faster_mirror_each_other() -> None:
    new = replace(time(150, 147, 153))
    forth, back = timed_change("toy", "a", OLD, new), timed_change("toy", "a", new, OLD)
    assert (forth.pace, back.pace) == (Pace.SLOWER, Pace.FASTER)
    assert forth.ratio * back.ratio == pytest.approx(1)
