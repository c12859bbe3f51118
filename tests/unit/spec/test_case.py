from __future__ import annotations

import pytest
from split_cases import SPLIT_2, VARIADIC, integers, variadic

from conformance.protocol.form import Form
from conformance.spec.case import (
    Argument,
    Literals,
    Parts,
    Rejection,
    Value,
    expected_outputs,
    whole_number,
)
from conformance.spec.check import steps_of
from conformance.spec.operator import Role
from conformance.tensors.fill import Fill
from conformance.tensors.tensor import array_from_tensor


def test_operator_is_named_by_dialect_name_and_version() -> None:
    assert VARIADIC.id == "openvino.VariadicSplit-1"


@pytest.mark.parametrize(
    ("value", "axis", "from_front"),
    [
        (integers([1], ()), 1, 1),
        (integers([1], (1,)), 1, 1),
        (integers([-1], (), "int8"), -1, 1),
        (integers([2], ()), 2, None),
        (integers([-3], ()), -3, None),
        (integers([0, 1], (2,)), None, None),
        (Value(dtype="float32", shape=()), None, None),
    ],
)
def test_axis_is_one_whole_number_or_none(value: Value, axis: int | None, from_front: int | None) -> None:
    case = variadic().with_value("axis", value)
    assert (case.split_axis, case.split_dim) == (axis, from_front)


def test_axis_that_is_left_out_is_the_default_of_the_page() -> None:
    rest = tuple(argument for argument in variadic().arguments if argument.name != "axis")
    assert variadic(arguments=rest).split_axis is None
    assert variadic(arguments=rest, operator=SPLIT_2).split_axis == 0


def test_data_of_another_role_is_no_data() -> None:
    assert variadic(arguments=(Argument("data", Role.ATTRIBUTE, 5),)).data is None


def test_no_outputs_are_expected_of_an_invalid_call() -> None:
    with pytest.raises(ValueError, match=r"^openvino.VariadicSplit-1/a: no outputs are expected$"):
        expected_outputs(Rejection("split_lengths.sum"), variadic())


def test_expected_outputs_are_stretches_of_the_data_of_each_call() -> None:
    first, second, _ = steps_of(variadic(), Form.SECOND_CALL)
    expectation = Parts(((0, 1), (1, 3)))
    assert [output.shape for output in expected_outputs(expectation, second)] == [(3, 1), (3, 2)]
    assert [array_from_tensor(output).tolist() for output in expected_outputs(expectation, first)] == [
        [[0], [3]],
        [[1, 2], [4, 5]],
    ]


def test_stretches_need_an_axis_that_addresses_the_data() -> None:
    case = variadic().with_value("axis", integers([2], ()))
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        expected_outputs(Parts(((0, 1),)), case)
    assert str(caught.value) == (
        "openvino.VariadicSplit-1/a: outputs given as parts need data and an axis that addresses a dimension"
    )


def test_literal_outputs_do_not_look_at_the_call() -> None:
    literal = Literals((integers([5], (1,), "int8"),))
    (output,) = expected_outputs(literal, variadic(arguments=()))
    assert bytes(output.data) == b"\5"


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (integers([-3], (1, 1)), -3),
        (Value(dtype="uint4", shape=(), data=b"\x0f"), 15),
        (integers([1, 2], (2,)), None),
        (Value(dtype="bool", shape=(), data=b"\1"), None),
        (Value(dtype="float32", shape=()), None),
    ],
)
def test_only_an_integer_tensor_of_one_element_is_a_number(value: Value, number: int | None) -> None:
    assert whole_number(value) == number


def test_described_tensor_is_made_from_its_fill() -> None:
    value = Value(dtype="bool", shape=(4,), fill=Fill.SPECIAL)
    assert (bytes(value.tensor().data), value.nbytes) == (b"\0\1\0\1", 4)
