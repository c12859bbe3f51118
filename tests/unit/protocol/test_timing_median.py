"""Intervals of medians: by ranks alone, as sure as they say, and wide enough for rounds that differ."""

from __future__ import annotations

import random

from conformance.protocol.outcome import Interval, interval_over_rounds, median_interval


def test_fewer_than_6_values_give_no_interval_at_95_percent() -> None:
    assert median_interval([2.0] * 5, 95) is None
    assert median_interval([2.0] * 6, 95) == Interval(2.0, 2.0)


def test_fewer_than_8_values_give_no_interval_at_99_percent() -> None:
    assert median_interval([2.0] * 7, 99) is None
    assert median_interval([2.0] * 8, 99) == Interval(2.0, 2.0)


def test_the_interval_is_that_of_the_sign_test() -> None:
    """Fewer than 4 of 20 coins show heads in 1,351 of 2 ** 20 throws, which is below 0.5 %; fewer than 5 is above."""
    assert median_interval([float(number) for number in range(1, 21)], 99) == Interval(4.0, 17.0)


def test_very_many_values_have_an_interval() -> None:
    assert median_interval([1.0] * 3000, 95) == Interval(1.0, 1.0)


def test_an_outlier_however_far_moves_the_interval_no_further_than_one_rank() -> None:
    values = [float(number) for number in range(1, 22)]
    assert median_interval([*values[:-1], 1e12], 95) == median_interval(values, 95)


def test_the_interval_holds_the_median_as_often_as_it_says() -> None:
    """Of a skewed distribution with ties, as times are; its median is 1."""
    chance = random.Random(11)
    held = 0
    for _ in range(2000):
        interval = median_interval(sorted(round(chance.lognormvariate(0, 1), 1) for _ in range(25)), 95)
        held += interval is not None and interval.low <= 1 <= interval.high
    assert held / 2000 > 0.95


def test_the_interval_is_not_much_wider_than_it_must_be() -> None:
    chance = random.Random(12)
    held = 0
    for _ in range(2000):
        interval = median_interval(sorted(chance.gauss() for _ in range(101)), 95)
        held += interval is not None and interval.low <= 0 <= interval.high
    assert held / 2000 < 0.98


def test_rounds_that_drift_widen_the_interval_to_their_medians() -> None:
    rounds = [[float(level)] * 50 for level in (10, 11, 12, 13, 14, 30)]
    assert interval_over_rounds(rounds, 95) == Interval(10.0, 30.0)
    assert interval_over_rounds(rounds[:5], 95) == Interval(12.0, 12.0)


def test_drift_from_round_to_round_is_covered() -> None:
    """Each round is shifted as a whole, as a machine drifts: the samples of all rounds alone would be too sure."""
    chance = random.Random(13)
    held = 0
    for _ in range(500):
        rounds = []
        for _ in range(6):
            shift = chance.gauss()
            rounds.append([shift + chance.gauss(0, 0.1) for _ in range(40)])
        interval = interval_over_rounds(rounds, 95)
        held += interval is not None and interval.low <= 0 <= interval.high
    assert held / 500 > 0.95


def test_intervals_that_touch_are_not_apart() -> None:
    assert not Interval(1, 2).is_apart_from(Interval(2, 3))
    assert Interval(3, 4).is_apart_from(Interval(1, 2))
