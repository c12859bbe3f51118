from __future__ import annotations

import random

import pytest

from conformance.comparison.pace import PaceFinding, TimedStage, pace_change


def claim(ratios: list[float]) -> PaceFinding:
    by_case = {f"case-{number}": [ratio] for number, ratio in enumerate(ratios)}
    return pace_change("toy@1.0", "onnx.Split-13", TimedStage.RUN, by_case).claim


@pytest.mark.parametrize(
    ("ratios", "expected"),
    [
        ([2.0] * 20, PaceFinding.SLOWER),
        ([0.5] * 20, PaceFinding.FASTER),
        ([1.1] * 20, PaceFinding.ALIKE),
        ([1.4] * 10 + [1.6] * 10, PaceFinding.UNCLEAR),
        ([9.0] * 7, PaceFinding.TOO_FEW),
    ],
)
def test_a_claim_needs_an_interval_beyond_the_margin(ratios: list[float], expected: PaceFinding) -> None:
    assert claim(ratios) is expected


def test_products_of_one_written_case_count_once() -> None:
    change = pace_change("toy@1.0", "onnx.Split-13", TimedStage.RUN, {"a": [3.0] * 100, "b": [1.0]})
    assert (change.claim, change.cases, change.ratio) == (PaceFinding.TOO_FEW, 2, 2.0)


def test_noise_as_large_as_the_times_makes_no_claim() -> None:
    chance = random.Random(7)
    claims = {claim([chance.lognormvariate(0, 1) for _ in range(40)]) for _ in range(300)}
    assert not claims & {PaceFinding.SLOWER, PaceFinding.FASTER}
