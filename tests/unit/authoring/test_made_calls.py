"""Generated calls follow from features and a seed, have the classes that the features name, and reveal a wrong law."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest
from bundled import bundled_operators

from conformance.authoring.lint import comparisons
from conformance.spec.case import Case, Value, lawful_call
from conformance.spec.making.call import Asked, can_be_made, choices_of, classes_of, classes_of_operator, made_call
from conformance.spec.making.clear_case import clear_case, made_case
from conformance.spec.making.setting import Dice
from conformance.spec.operator import Operator

OPERATORS = {operator.id: operator for operator in bundled_operators().values() if can_be_made(operator)}
FEWEST = 10
"""Calls to compare of each operator version: fewer would be a sign that drawing finds too few."""


@cache
def made(operator_id: str) -> tuple[tuple[Asked, Case], ...]:
    """Some made calls of an operator version."""
    return tuple(_drawn(OPERATORS[operator_id]))


def _drawn(operator: Operator) -> Iterator[tuple[Asked, Case]]:
    for number in range(100):
        dice = Dice("test", operator.id, number)
        features = {name: dice.one_of(known) for name, known in choices_of(operator).items()}
        call = made_call(operator, features, number)
        if call is not None:
            yield features, lawful_call(operator, *call)


@pytest.mark.parametrize("operator_id", OPERATORS)
def test_a_value_has_the_class_that_it_was_made_for(operator_id: str) -> None:
    operator = OPERATORS[operator_id]
    kinds = {p.name: p.kind.value for p in operator.parameters if p.kind is not None}
    known = set(classes_of_operator(operator))
    wanted = 0
    for features, case in made(operator_id):
        found = classes_of(case)
        for name, choice in features.items():
            value = case.value(name)
            is_float = isinstance(value, Value) and value.dtype.startswith("float")  # lengths of Split-1
            if (kinds.get(name), choice) in known and not is_float:
                wanted += 1
                assert (kinds[name], choice) in found, f"{name}={choice}: {value}"
    assert wanted or operator.name == "Concat"


@pytest.mark.parametrize("operator_id", ["onnx.Gather-13", "onnx.Split-18", "openvino.StridedSlice-1"])
def test_the_same_features_and_seed_make_the_same_call(operator_id: str) -> None:
    operator = OPERATORS[operator_id]
    for number in range(50):
        dice = Dice("again", number)
        features = {name: dice.one_of(known) for name, known in choices_of(operator).items()}
        assert made_call(operator, features, number) == made_call(operator, features, number)


def test_numbers_are_the_same_on_every_machine() -> None:
    dice = Dice("onnx.Gather-13", 0)
    assert [dice.number(0, 99) for _ in range(6)] == [2, 74, 89, 85, 7, 34]


@pytest.mark.parametrize("operator_id", OPERATORS)
def test_enough_calls_of_each_operator_version_are_compared_and_agree(operator_id: str) -> None:
    compared = list(comparisons(OPERATORS[operator_id], "operator.yaml: law"))
    assert len(compared) >= FEWEST
    assert not list(filter(None, compared))


@pytest.mark.parametrize(
    ("operator_id", "of"),
    [
        ("onnx.Squeeze-13", "onnx.Unsqueeze-13"),
        ("onnx.Transpose-13", "onnx.Concat-13"),
        ("openvino.VariadicSplit-1", "openvino.Split-1"),
    ],
)
def test_the_law_of_another_operator_is_a_contradiction(operator_id: str, of: str) -> None:
    other = replace(OPERATORS[operator_id], law=OPERATORS[of].law)
    found = [problem for problem in comparisons(other, "operator.yaml: law") if problem is not None]
    assert found
    assert found[0].where == "operator.yaml: law"
    assert f"law and reference of {operator_id} disagree on a call with dtype=" in found[0].what


def test_a_call_with_outputs_far_larger_than_its_data_is_left_out() -> None:
    features = {"dtype": "int64", "rank": "8", "dims": "long", "values": "distinct", "shape": "beyond 8 bits"}
    assert made_case(OPERATORS["onnx.Expand-13"], features, 8) is not None
    assert clear_case(OPERATORS["onnx.Expand-13"], features, 8) is None
