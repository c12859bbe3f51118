"""Laws of medians, of their intervals, and of what follows from two of them."""

from __future__ import annotations

from itertools import pairwise
from statistics import median

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from conformance.log.answers import Pace, pace_of, timed_change
from conformance.log.record import TimeEntry
from conformance.protocol.outcome import Interval, interval_over_rounds, median_interval

pytestmark = pytest.mark.slow

NUMBERS = st.integers(0, 10**6).map(float)
VALUES = st.lists(NUMBERS, min_size=1, max_size=40)
CONFIDENCE = st.sampled_from([50, 80, 90, 95, 99])
ROUNDS = st.lists(st.lists(NUMBERS, min_size=1, max_size=8), min_size=1, max_size=10)
OPPOSITE = {Pace.SLOWER: Pace.FASTER, Pace.FASTER: Pace.SLOWER}


@st.composite
def intervals(draw: st.DrawFn) -> Interval:
    low, high = sorted(draw(st.tuples(NUMBERS, NUMBERS)))
    return Interval(low, high)


@st.composite
def times(draw: st.DrawFn) -> TimeEntry:
    rounds = draw(st.lists(st.integers(10**3, 10**5).map(float), min_size=1, max_size=12))
    interval = median_interval(sorted(rounds), 95)
    return TimeEntry(
        median_ns=median(rounds),
        low_ns=interval.low if interval else None,
        high_ns=interval.high if interval else None,
        fastest_ns=min(rounds),
        slowest_ns=max(rounds),
        samples=len(rounds),
        loops=[1] * len(rounds),
        rounds_ns=rounds,
    )


@given(VALUES, CONFIDENCE)
def test_an_interval_holds_the_median_and_ends_at_values(values: list[float], confidence: int) -> None:
    found = median_interval(sorted(values), confidence)
    assume(found is not None)
    assert found is not None
    assert found.low <= median(values) <= found.high
    assert {found.low, found.high} <= set(values)


@given(VALUES)
def test_more_confidence_never_narrows_an_interval(values: list[float]) -> None:
    found = [median_interval(sorted(values), confidence) for confidence in (50, 80, 95, 99)]
    known = [one for one in found if one is not None]
    assert found[: len(known)] == known
    for narrow, wide in pairwise(known):
        assert wide.low <= narrow.low <= narrow.high <= wide.high


@given(VALUES, CONFIDENCE, st.integers(1, 9), st.integers(0, 1000))
def test_an_interval_follows_a_change_of_unit(values: list[float], confidence: int, factor: int, offset: int) -> None:
    one = median_interval(sorted(values), confidence)
    other = median_interval(sorted(value * factor + offset for value in values), confidence)
    assert other == (Interval(one.low * factor + offset, one.high * factor + offset) if one else None)


@given(VALUES, CONFIDENCE)
def test_an_interval_has_as_many_values_below_as_above(values: list[float], confidence: int) -> None:
    one = median_interval(sorted(values), confidence)
    other = median_interval(sorted(-value for value in values), confidence)
    assert other == (Interval(-one.high, -one.low) if one else None)


@given(ROUNDS, CONFIDENCE)
def test_the_order_of_rounds_does_not_matter(rounds: list[list[float]], confidence: int) -> None:
    turned = [values[::-1] for values in reversed(rounds)]
    assert interval_over_rounds(rounds, confidence) == interval_over_rounds(turned, confidence)


@given(ROUNDS, CONFIDENCE)
def test_rounds_only_widen_the_interval_of_all_values(rounds: list[list[float]], confidence: int) -> None:
    pooled = median_interval(sorted(value for values in rounds for value in values), confidence)
    found = interval_over_rounds(rounds, confidence)
    assert (found is None) is (pooled is None)
    assert found is None or pooled is None or (found.low <= pooled.low and pooled.high <= found.high)


@given(intervals(), intervals())
def test_being_apart_is_mutual_and_never_true_of_one(one: Interval, other: Interval) -> None:
    assert one.is_apart_from(other) is other.is_apart_from(one)
    assert not one.is_apart_from(one)


@given(times())
def test_a_time_is_neither_slower_nor_faster_than_itself(time: TimeEntry) -> None:
    assert pace_of(time, time) in (Pace.ALIKE, Pace.UNCLEAR)


@given(times(), times())
def test_slower_one_way_is_faster_the_other_way(one: TimeEntry, other: TimeEntry) -> None:
    there, back = pace_of(one, other), pace_of(other, one)
    assert back is OPPOSITE.get(there, there)


@given(times(), times())
def test_a_claim_has_the_ratio_that_it_needs(one: TimeEntry, other: TimeEntry) -> None:
    change = timed_change("toy", "a", one, other)
    assert change.pace is not Pace.SLOWER or change.ratio >= 1.1
    assert change.pace is not Pace.FASTER or change.ratio <= 1 / 1.1 + 1e-9
