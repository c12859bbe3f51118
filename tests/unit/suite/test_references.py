from __future__ import annotations

import pytest

from conformance.suite.literals import names_in, resolved
from conformance.suite.yaml_file import Plain, SchemaError

BINDINGS: dict[str, Plain] = {
    "rank": {"first": {"axis": 0}, "last": {"axis": 2}},
    "position": "last",
    "data": {"cut": "$lengths.full"},
    "lengths": {"full": {"shape": [2, "$size"]}},
    "size": 6,
    "left": "$right",
    "right": "$left",
}


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("$rank.first.axis", 0),
        ("$rank.$position.axis", 2),
        ("$data.cut.shape", [2, 6]),
        (["$size", {"times": 3, "value": 1}, 2], [6, 1, 1, 1, 2]),
        ([{"times": "$size", "value": 0}], [0] * 6),
        ("$$size", "$size"),
    ],
)
def test_references_stand_for_what_is_bound(raw: Plain, value: Plain) -> None:
    assert resolved(raw, BINDINGS) == value


def test_names_in_a_value_are_those_of_its_references_and_of_the_references_within_them() -> None:
    raw: Plain = {"shape": ["$rank.$position.dim", 6], "dtype": "$dtype", "text": "$$price", "plain": "name"}
    assert list(names_in(raw)) == ["rank", "position", "dtype"]


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        ("$left", "'$left' refers to itself: $left -> $right -> $left"),
        ("$ran.first", "'$ran.first' is not bound by the matrix"),
        ("$rank.$data.axis", "'$data' in '$rank.$data.axis' must be a single word, not a list or mapping"),
        ([{"times": -1, "value": 0}], "-1 is not a number of repetitions"),
        ([{"times": 2, "value": [0]}], "a list cannot be repeated"),
        ([{"times": 10**9, "value": 0}], "makes more than 1048576 items"),
    ],
)
def test_reference_without_meaning_is_reported(raw: Plain, what: str) -> None:
    with pytest.raises(SchemaError) as caught:
        resolved(raw, BINDINGS)
    assert caught.value.what == what
