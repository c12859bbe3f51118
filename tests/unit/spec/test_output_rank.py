from __future__ import annotations

from typing import Any

import pytest

from conformance.spec.operator import output_rank, rank_rule

SQUEEZE = (rank_rule("rank(data) - size(axes)"), rank_rule("rank(data) - ones(data)"))


@pytest.mark.parametrize(
    ("rules", "shapes", "attributes", "rank"),
    [
        ((rank_rule("rank(data) + rank(indices) - 1"),), {"data": (2, 3), "indices": (4, 5, 6)}, {}, 4),
        ((rank_rule("size(shape)"),), {"data": (2, 3), "shape": (4,)}, {}, 4),
        ((rank_rule("max(rank(data), size(shape))"),), {"data": (2, 3), "shape": (4,)}, {}, 4),
        ((rank_rule("max(rank(data), size(shape))"),), {"data": (2, 3), "shape": (1,)}, {}, 2),
        (SQUEEZE, {"data": (1, 3, 1)}, {"axes": (0,)}, 2),
        (SQUEEZE, {"data": (1, 3, 1), "axes": (2,)}, {}, 1),
        (SQUEEZE, {"data": (1, 3, 1)}, {}, 1),
        (SQUEEZE, {"data": (1,)}, {"axes": (0, 1, 2)}, 0),
        (SQUEEZE, {"axes": (1,)}, {}, None),
        ((), {"data": (1,)}, {}, None),
    ],
)
def test_the_first_rule_whose_arguments_are_given_holds(
    rules: Any, shapes: dict[str, tuple[int, ...]], attributes: Any, rank: int | None
) -> None:
    assert output_rank(rules, shapes, attributes) == rank


@pytest.mark.parametrize(
    "text", ["rank data", "rank(data) rank(axes)", "rank(data) * 2", "rank(data) +", "half(data)", "max(rank)"]
)
def test_other_texts_are_no_rules(text: str) -> None:
    with pytest.raises(ValueError, match="is not a sum of"):
        rank_rule(text)
