"""The same seed draws the same checks, and only those that a target declares and a page leaves clear."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bundled import bundled_operators

from conformance.log.record import TargetEntry
from conformance.protocol.form import Form
from conformance.run.fuzz_calls import Draws, MadeCheck, made_check, operators_named
from conformance.spec.case import call_arguments
from conformance.spec.making.clear_case import left_open
from conformance.spec.reference import evaluate
from conformance.tensors.errors import SelectionError

OPERATORS = tuple(bundled_operators().values())


def drawn(
    seed: str = "1",
    *,
    names: tuple[str, ...] = (),
    forms: list[str] | None = None,
    dtypes: list[str] | None = None,
    operators: list[str] | None = None,
) -> list[MadeCheck]:
    target = TargetEntry(name="toy@1", adapter="toy", forms=forms, dtypes=dtypes, operators=operators)
    draws = Draws(operators_named(OPERATORS, names), target, seed)
    return [made for number in range(40) if (made := draws.at(number)) is not None]


def test_the_same_seed_draws_the_same_checks() -> None:
    assert drawn("1") == drawn("1")


def test_another_seed_draws_others() -> None:
    assert drawn("1") != drawn("2")


def test_a_check_does_not_depend_on_those_before_it() -> None:
    target = TargetEntry(name="toy@1", adapter="toy")
    assert Draws(operators_named(OPERATORS, ()), target, "1").at(7) == drawn("1")[7]


def test_a_check_can_be_made_again_of_its_features() -> None:
    for made in drawn():
        assert made_check(made.operator, made.features, made.seed, made.form) == made


def test_the_page_allows_each_call_and_leaves_nothing_of_it_open() -> None:
    for made in drawn():
        assert not left_open(made.case)
        assert evaluate(made.operator.id, call_arguments(made.case), made.case.declared_outputs)


def test_the_operators_take_turns() -> None:
    made = drawn(names=("onnx.Split", "openvino.Transpose-1"))
    assert [one.operator.family for one in made[:4]] == ["onnx.Split", "openvino.Transpose"] * 2
    assert len({one.operator.id for one in made}) > 3


def test_only_declared_forms_types_and_operators_are_drawn() -> None:
    made = drawn(forms=["dynamic", "strided"], dtypes=["int8"], operators=["onnx.*"])
    assert {one.form for one in made} == {Form.DYNAMIC, Form.STRIDED}
    assert {one.features["dtype"] for one in made} == {"int8"}
    assert {one.operator.dialect for one in made} == {"onnx"}


def test_a_target_that_declares_none_of_the_operators_is_refused() -> None:
    with pytest.raises(SelectionError, match="declares none of these operators"):
        drawn(names=("onnx.Split",), operators=["openvino.*"])


def test_an_unknown_operator_is_refused() -> None:
    with pytest.raises(SelectionError, match="there is no such operator"):
        operators_named(OPERATORS, ("onnx.Splitt",))


def test_an_operator_without_a_law_is_refused() -> None:
    unjudged = [replace(one, law=None) if one.name == "Split" else one for one in OPERATORS]
    with pytest.raises(SelectionError, match="no calls can be made of it"):
        operators_named(unjudged, ("onnx.Split",))
