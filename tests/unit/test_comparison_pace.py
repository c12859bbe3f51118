from __future__ import annotations

import random

import pytest

from conformance.comparison.pace import Claim, Stage, median_interval, pace_change


def claim(ratios: list[float]) -> Claim:
    by_case = {f"case-{number}": [ratio] for number, ratio in enumerate(ratios)}
    return pace_change("toy@1.0", "onnx.Split-13", Stage.RUN, by_case).claim


def test_fewer_than_8_cases_give_no_interval() -> None:
    assert median_interval([2.0] * 7) is None
    assert median_interval([2.0] * 8) == (2.0, 2.0)


def test_the_interval_is_that_of_the_sign_test() -> None:
    """Fewer than 4 of 20 coins show heads in 1,351 of 2 ** 20 throws, which is below 0.5 %; fewer than 5 is above."""
    assert median_interval([float(number) for number in range(1, 21)]) == (4.0, 17.0)


def test_very_many_values_have_an_interval() -> None:
    assert median_interval([1.0] * 3000) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("ratios", "expected"),
    [
        ([2.0] * 20, Claim.SLOWER),
        ([0.5] * 20, Claim.FASTER),
        ([1.1] * 20, Claim.ALIKE),
        ([1.4] * 10 + [1.6] * 10, Claim.UNCLEAR),
        ([9.0] * 7, Claim.TOO_FEW),
    ],
)
def test_a_claim_needs_an_interval_beyond_the_margin(ratios: list[float], expected: Claim) -> None:
    assert claim(ratios) is expected


def test_products_of_one_written_case_count_once() -> None:
    change = pace_change("toy@1.0", "onnx.Split-13", Stage.RUN, {"a": [3.0] * 100, "b": [1.0]})
    assert (change.claim, change.cases, change.ratio) == (Claim.TOO_FEW, 2, 2.0)


def test_noise_as_large_as_the_times_makes_no_claim() -> None:
    chance = random.Random(7)
    claims = {claim([chance.lognormvariate(0, 1) for _ in range(40)]) for _ in range(300)}
    assert not claims & {Claim.SLOWER, Claim.FASTER}
