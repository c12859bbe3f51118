from __future__ import annotations

from typing import Any

import pytest

from conformance.spec.operator import output_rank

SQUEEZE = ("rank(data) - size(axes)", "rank(data) - ones(data)")


@pytest.mark.parametrize(
    ("rules", "shapes", "attributes", "rank"),
    [
        (("rank(data) + rank(indices) - 1",), {"data": (2, 3), "indices": (4, 5, 6)}, {}, 4),
        (("size(shape)",), {"data": (2, 3), "shape": (4,)}, {}, 4),
        (("max(rank(data), size(shape))",), {"data": (2, 3), "shape": (4,)}, {}, 4),
        (("max(rank(data), size(shape))",), {"data": (2, 3), "shape": (1,)}, {}, 2),
        (SQUEEZE, {"data": (1, 3, 1)}, {"axes": (0,)}, 2),
        (SQUEEZE, {"data": (1, 3, 1), "axes": (2,)}, {}, 1),
        (SQUEEZE, {"data": (1, 3, 1)}, {}, 1),
        (SQUEEZE, {"data": (1,)}, {"axes": (0, 1, 2)}, 0),
        (SQUEEZE, {"axes": (1,)}, {}, None),
        (("rank(data) // size(axes)",), {"data": (1,), "axes": (0,)}, {}, None),
        ((), {"data": (1,)}, {}, None),
    ],
)
def test_the_first_rule_whose_arguments_are_given_holds(
    rules: Any, shapes: dict[str, tuple[int, ...]], attributes: Any, rank: int | None
) -> None:
    assert output_rank(rules, shapes, attributes) == rank
