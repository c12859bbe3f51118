from __future__ import annotations

import re
from dataclasses import replace

import pytest
from split_cases import split_case

from conformance.protocol.form import Form
from conformance.spec.case import Argument, Value
from conformance.spec.check import Check
from conformance.spec.condition import checked_condition, facts_of, holds
from conformance.spec.operator import Role
from conformance.suite.operator_file import operators_from_document
from conformance.suite.suite import bundled_folder
from conformance.suite.yaml_file import read_document
from conformance.tensors.tensor import pack_integers

OPERATOR = bundled_folder("cases") / "openvino" / "VariadicSplit" / "operator.yaml"
(VARIADIC_SPLIT,) = operators_from_document(read_document(OPERATOR, "operator.yaml"))
CASE = split_case(Value(dtype="int8", shape=(2, 6)), [2, 4], axis=-1, operator=VARIADIC_SPLIT)


@pytest.mark.parametrize(
    ("condition", "is_true"),
    [
        ("True", True),
        ("axis < 0", True),
        ("axis == 1", False),
        ("axis_rank == 0 and axis_type == 'int64'", True),
        ("lengths_rank == 1 and size(lengths) == declared", True),
        ("sum(lengths) == data.shape[axis]", True),
        ("data_type == 'int8' or data_type == 'uint8'", True),
        ("data_type == 'float32'", False),
        ("given(axis) and not given(axes)", True),
        ("max(data.shape) > 6", False),
        ("size(inputs) == 1 and rank(inputs[0]) == 2", True),
        ("version == 1", True),
        ("axis_1 == -1 and lengths_1 == [2, 4]", True),
        ("given(axis_2)", False),
        ("surplus_inputs == 0 and surplus_attributes == 0", True),
    ],
)
def test_a_condition_is_true_of_what_a_call_gives(condition: str, is_true: bool) -> None:  # noqa: FBT001
    assert holds(condition, facts_of(CASE)) is is_true


@pytest.mark.parametrize("condition", ["axes == 0", "axis[0] == 0", "data.shape[7] == 1", "1 % 0 == 0", "axis_type"])
def test_a_condition_of_what_a_call_lacks_does_not_hold(condition: str) -> None:
    assert not holds(condition, facts_of(CASE))


def test_an_axis_that_is_no_number_has_a_type_alone() -> None:
    floats = Value(dtype="float32", shape=(), data=b"\0\0\0\0")
    facts = facts_of(CASE.with_value("axis", floats))
    assert holds("axis_type == 'float32' and not given(axis)", facts)


def test_an_argument_that_a_version_takes_in_two_ways_counts_once() -> None:
    twice = replace(CASE, arguments=(Argument("axis", Role.ATTRIBUTE, 3), *CASE.arguments))
    assert holds("axis == 3", facts_of(twice))


def test_a_list_with_one_entry_is_an_axis() -> None:
    listed = CASE.with_value("axis", Value.of(pack_integers([1], "int32", (1,))))
    assert holds("axis == 1 and axis_rank == 1", facts_of(listed))


def test_arguments_that_a_version_does_not_have_are_counted() -> None:
    surplus = (Argument("mode", Role.ATTRIBUTE, "fast"), Argument("indices", Role.INPUT, CASE.arguments[1].value))
    facts = facts_of(replace(CASE, arguments=(*CASE.arguments, *surplus)))
    assert holds("surplus_inputs == 1 and surplus_attributes == 1", facts)


def test_each_call_of_a_form_is_read() -> None:
    assert len(Check(CASE, Form.SECOND_CALL).facts) > 1


def test_a_condition_that_takes_long_does_not_hold() -> None:
    assert not holds("size([0 for i in range(60000) for j in range(3)]) > 0", facts_of(CASE))
    assert not holds("size([size([0 for i in range(60000)]) for j in range(60000)]) > 0", facts_of(CASE))


@pytest.mark.parametrize(
    ("condition", "problem"),
    [
        ("axsi < 0", "'axsi' is none of the names that a condition has: "),
        ("true", "'true' is none of the names that a condition has: "),
        ("axis <", "'axis <' is not an expression"),
        ("__import__('os')", "is not of the language of laws"),
    ],
)
def test_what_is_no_condition_is_told(condition: str, problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)):
        checked_condition(condition)


@pytest.mark.parametrize("condition", ["axis < 0", "True"])
def test_a_condition_stays_as_it_is(condition: str) -> None:
    assert checked_condition(condition) == condition
