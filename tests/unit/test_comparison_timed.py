"""Whether a timed case became slower beyond its noise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.comparison.pace import PaceFinding
from conformance.comparison.timed import timed_change
from conformance.records.record import TimeEntry


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
    ("new", "claim"),
    [
        (time(150, 147, 153), PaceFinding.SLOWER),
        (time(60, 59, 61), PaceFinding.FASTER),
        (time(111, 108, 114), PaceFinding.SLOWER),
        (time(109, 108, 110), PaceFinding.ALIKE),
        (time(150, 101, 200), PaceFinding.ALIKE),
        (time(150, None, None), PaceFinding.UNCLEAR),
        (time(150, 147, 153, rounds=1), PaceFinding.UNCLEAR),
    ],
)
def test_a_claim_needs_intervals_apart_and_a_ratio(new: TimeEntry, claim: PaceFinding) -> None:
    assert timed_change("toy@1.0", "onnx.Split-18/a", OLD, new).claim is claim


def test_slower_and_faster_mirror_each_other() -> None:
    new = replace(time(150, 147, 153))
    forth, back = timed_change("toy", "a", OLD, new), timed_change("toy", "a", new, OLD)
    assert (forth.claim, back.claim) == (PaceFinding.SLOWER, PaceFinding.FASTER)
    assert forth.ratio * back.ratio == pytest.approx(1)
