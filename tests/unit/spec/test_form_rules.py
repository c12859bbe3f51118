from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from split_cases import PARTS, SPLIT_2, VARIADIC, integers, refused, split_case, variadic

from conformance.protocol.form import Form
from conformance.spec.case import Case, Disputed, Interpretation, Parts, Rejection, Value, expected_outputs
from conformance.spec.check import forms_of, steps_of
from conformance.tensors.tensor import array_from_tensor, tensor_from_array


def test_data_of_equal_rows_is_cut_into_parts_that_differ() -> None:
    (call,) = steps_of(variadic(), Form.BROADCAST)
    (first, second) = expected_outputs(call.expectation, call)
    assert (bytes(first.data), bytes(second.data)) == (b"\0\0", b"\1\2\1\2")


def test_of_outputs_that_are_left_out_nothing_is_expected() -> None:
    case = variadic(expectation=Parts(((0, 1), (1, 2), (2, 3))), declared_outputs=3)
    (call,) = steps_of(case, Form.UNUSED_OUTPUTS)
    assert call.expectation == Parts(((0, 1), (2, 3)))
    assert call.declared_outputs == 3


def test_another_axis_other_lengths_and_more_data_stand_between_the_arguments_of_the_case() -> None:
    first, other, more, as_long, last = steps_of(variadic(), Form.SECOND_ARGUMENTS)
    assert (first, last) == (variadic(), variadic())
    assert (other.split_axis, other.data and other.data.shape) == (0, (3, 2))
    assert (more.split_axis, more.data and more.data.shape) == (0, (4, 4))
    assert (as_long.split_axis, as_long.data and as_long.data.shape) == (1, (3, 3))
    assert [output.shape for output in expected_outputs(other.expectation, other)] == [(2, 2), (1, 2)]
    assert [output.shape for output in expected_outputs(more.expectation, more)] == [(3, 4), (1, 4)]
    assert [output.shape for output in expected_outputs(as_long.expectation, as_long)] == [(3, 1), (3, 2)]


@pytest.mark.parametrize(("dtype", "lengths"), [("int4", [6, 7]), ("int8", [8, 7])])
def test_lengths_that_read_alike_from_both_ends_change_as_far_as_their_type_goes(
    dtype: str, lengths: list[int]
) -> None:
    case = variadic(expectation=Parts(((0, 7), (7, 14)))).with_value("data", Value(dtype="int8", shape=(2, 14)))
    _, other, *_ = steps_of(case.with_value("split_lengths", integers([7, 7], (2,), dtype)), Form.SECOND_ARGUMENTS)
    assert other.value("split_lengths") == integers(lengths, (2,), dtype)


def test_remainder_is_one_element_of_the_valid_call() -> None:
    valid, _ = steps_of(refused([-1, 4]), Form.SECOND_CALL)
    assert (valid.data and valid.data.shape, valid.expectation) == ((2, 5), Parts(((0, 1), (1, 5))))


def test_concat_after_the_operator_restores_the_data() -> None:
    outputs = [*(expected_outputs(call.expectation, call) for call in steps_of(variadic(), Form.BEFORE_CONCAT))]
    assert [(output.shape, bytes(output.data)) for (output,) in outputs] == [
        ((2, 3), bytes(range(7, 13))),
        ((2, 3), bytes(range(6))),
    ]


def test_a_relu_in_front_takes_what_is_below_zero() -> None:
    case = variadic().with_value("data", Value(dtype="float16", shape=(2, 3)))
    other, kept = steps_of(case, Form.AFTER_RELU)
    first, second = (array_from_tensor(output) for output in expected_outputs(other.expectation, other))
    assert other.data is not None
    assert array_from_tensor(other.data.tensor()).tolist() == [[7, -8, 9], [-10, 11, -12]]
    assert np.concatenate([first, second], 1).tolist() == [[7, 0, 9], [0, 11, 0]]
    assert kept == case


def test_a_relu_leaves_zero_of_what_a_case_has_below_it() -> None:
    edges = Value.of(tensor_from_array(np.array([[1.0, -np.inf, np.inf], [-1e-45, 1e-45, 0]], np.float32)))
    _, left = steps_of(variadic().with_value("data", edges), Form.AFTER_RELU)
    first, second = (array_from_tensor(output) for output in expected_outputs(left.expectation, left))
    assert (
        np.concatenate([first, second], 1).tobytes() == np.array([[1, 0, np.inf], [0, 1e-45, 0]], np.float32).tobytes()
    )


def test_concat_restores_the_data_under_each_reading_of_a_disputed_case() -> None:
    interpretations = tuple(Interpretation(name=name, reason="", expectation=PARTS) for name in "ab")
    _, case = steps_of(replace(variadic(), expectation=Disputed(interpretations)), Form.BEFORE_CONCAT)
    assert isinstance(case.expectation, Disputed)
    assert [reading.expectation for reading in case.expectation.interpretations] == [Parts(((0, 3),))] * 2


def test_a_type_without_sign_has_nothing_below_zero() -> None:
    case = variadic().with_value("data", Value(dtype="float8_e8m0fnu", shape=(2, 3)))
    assert steps_of(case, Form.AFTER_RELU) == steps_of(case, Form.SAME_CALL_TWICE)[1:]


@pytest.mark.parametrize(
    "case",
    [
        variadic(operator=SPLIT_2),
        variadic().with_value("axis", integers([-1], ())),
        variadic().with_value("axis", integers([1], (), "uint8")),
        variadic(arguments=variadic().arguments[:1], operator=replace(VARIADIC, default_axis=0)),
    ],
    ids=["page without negative axes", "negative already", "unsigned axis", "axis not written"],
)
def test_axis_is_not_restated_where_that_says_something_else(case: Case) -> None:
    assert Form.AXIS_FROM_END not in forms_of(case)


@pytest.mark.parametrize(("value", "restated"), [(integers([1], (), "int8"), b"\xff"), (integers([0], (1,)), b"\xfe")])
def test_axis_from_the_end_keeps_type_and_shape(value: Value, restated: bytes) -> None:
    (call,) = steps_of(variadic().with_value("axis", value), Form.AXIS_FROM_END)
    changed = call.value("axis")
    assert isinstance(changed, Value)
    assert (changed.dtype, changed.shape) == (value.dtype, value.shape)
    assert changed.data is not None
    assert changed.data[:1] == restated


def test_larger_call_with_other_elements_stands_between_those_of_the_case() -> None:
    first, second, third = steps_of(variadic(), Form.SECOND_CALL)
    assert (first, third) == (variadic(), variadic())
    assert second.data is not None
    assert second.data.shape == (3, 3)
    assert array_from_tensor(second.data.tensor())[0, 0] == 14


@pytest.mark.parametrize(
    ("case", "shape", "expectation"),
    [
        (variadic().with_value("split_lengths", integers([1, -1], (2,))), (3, 4), Parts(((0, 1), (1, 4)))),
        (variadic(operator=replace(VARIADIC, lengths=None)), (3, 5), Parts(((0, 2), (2, 5)))),
    ],
    ids=["remainder", "no lengths"],
)
def test_axis_grows_with_the_parts_that_no_length_fixes(case: Case, shape: object, expectation: Parts) -> None:
    _, other, _ = steps_of(case, Form.SECOND_CALL)
    assert (other.data and other.data.shape, other.expectation) == (shape, expectation)


@pytest.mark.parametrize(("axis", "shape"), [(1, (2, 3, 2)), (-1, (2, 2, 3))])
def test_dim_is_added_where_the_axis_does_not_count(axis: int, shape: tuple[int, ...]) -> None:
    first, second, third = steps_of(variadic().with_value("axis", integers([axis], ())), Form.SECOND_RANK)
    assert (first.data and first.data.shape, second.data and second.data.shape, third) == ((2, 3), shape, first)


def test_of_outputs_that_are_left_out_no_reading_expects_anything() -> None:
    interpretations = (
        Interpretation(name="all", reason="", expectation=Parts(((0, 1), (1, 2), (2, 3)))),
        Interpretation(name="none", reason="", expectation=Rejection("outputs.unnamed")),
    )
    (call,) = steps_of(variadic(expectation=Disputed(interpretations), declared_outputs=3), Form.UNUSED_OUTPUTS)
    assert isinstance(call.expectation, Disputed)
    assert [reading.expectation for reading in call.expectation.interpretations] == [
        Parts(((0, 1), (2, 3))),
        Rejection("outputs.unnamed"),
    ]


def test_no_relu_stands_before_an_argument_that_is_not_data() -> None:
    case = split_case(Value(dtype="float32", shape=(2,)), [2], expectation=Rejection("data.required"))
    assert forms_of(replace(case, forms=(Form.AFTER_RELU,))) == (Form.AFTER_RELU,)
    behind_the_axis = replace(case, arguments=(case.arguments[1], case.arguments[0], case.arguments[2]))
    assert forms_of(replace(behind_the_axis, forms=(Form.AFTER_RELU,))) == ()
