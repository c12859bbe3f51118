from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conformance.spec.case import (
    Argument,
    Case,
    Disputed,
    Interpretation,
    Literals,
    Parts,
    Rejection,
    Value,
    expected_outputs,
    only_integer,
)
from conformance.spec.form import Form
from conformance.spec.form_steps import forms_of, steps_of
from conformance.spec.operator import Operator, Parameter, Role
from conformance.values.fill import Fill
from conformance.values.tensor import array_from_tensor, pack_integers, tensor_from_array

VARIADIC = Operator(
    dialect="openvino",
    name="VariadicSplit",
    version=1,
    parameters=tuple(Parameter(name=name, role=Role.INPUT) for name in ("data", "axis", "split_lengths")),
    constraints={},
    clauses={},
    data="data",
    axis="axis",
    default_axis=None,
    takes_negative_axis=True,
    lengths="split_lengths",
)
SPLIT_2 = replace(VARIADIC, dialect="onnx", name="Split", version=2, default_axis=0, takes_negative_axis=False)


def integers(values: list[int], shape: tuple[int, ...], dtype: str = "int64") -> Value:
    return Value(dtype=dtype, shape=shape, data=bytes(pack_integers(values, dtype, shape).data))


PARTS = Parts(((0, 1), (1, 3)))


def variadic(**changes: Any) -> Case:
    arguments = (
        Argument("data", Role.INPUT, Value(dtype="int8", shape=(2, 3))),
        Argument("axis", Role.INPUT, integers([1], ())),
        Argument("split_lengths", Role.INPUT, integers([1, 2], (2,))),
    )
    usual: dict[str, Any] = {
        "id": "openvino.VariadicSplit-1/a",
        "operator": VARIADIC,
        "clauses": ("split_lengths.sum",),
        "arguments": arguments,
        "declared_outputs": 2,
        "expectation": PARTS,
        "where": "a.yaml:1",
    }
    return Case(**{**usual, **changes})


def refused(lengths: list[int]) -> Case:
    case = variadic(expectation=Rejection("split_lengths.sum"))
    return case.with_value("split_lengths", integers(lengths, (len(lengths),)))


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
    assert (case.axis, case.axis_from_front) == (axis, from_front)


def test_axis_that_is_left_out_is_the_default_of_the_page() -> None:
    rest = tuple(argument for argument in variadic().arguments if argument.name != "axis")
    assert variadic(arguments=rest).axis is None
    assert variadic(arguments=rest, operator=SPLIT_2).axis == 0


def test_data_of_another_role_is_no_data() -> None:
    assert variadic(arguments=(Argument("data", Role.ATTRIBUTE, 5),)).data is None


def test_valid_case_has_the_usual_forms_in_which_ranks_are_known() -> None:
    assert forms_of(variadic()) == tuple(form for form in Form if form.is_usual and not form.has_unknown_ranks)


def test_invalid_case_is_asked_with_unknown_ranks_too() -> None:
    forms = forms_of(variadic(expectation=Rejection("axis.range")))
    assert {Form.DYNAMIC_RANK, Form.RUNTIME_DYNAMIC_RANK} <= set(forms)


def test_case_that_names_forms_has_those_that_fit() -> None:
    floats = variadic().with_value("data", Value(dtype="float32", shape=(2, 3)))
    assert forms_of(replace(floats, forms=tuple(Form))) == tuple(form for form in Form if not form.is_of_onnx)
    assert forms_of(variadic(forms=(Form.BEFORE_CONCAT, Form.RUNTIME))) == (Form.RUNTIME, Form.BEFORE_CONCAT)


@pytest.mark.parametrize("form", [Form.UNNAMED_OUTPUTS, Form.EMPTY_INPUT_NAME, Form.EXTERNAL_DATA])
def test_ways_to_write_an_onnx_model_are_asked_of_onnx_where_an_input_is_left_out(form: Form) -> None:
    split_13 = replace(VARIADIC, dialect="onnx", name="Split", version=13, num_outputs="num_outputs")
    assert forms_of(variadic(operator=split_13, arguments=variadic().arguments[:2], forms=(form,))) == (form,)


def test_data_of_equal_rows_is_cut_into_parts_that_differ() -> None:
    (call,) = steps_of(variadic(), Form.BROADCAST)
    (first, second) = expected_outputs(call.expectation, call)
    assert (bytes(first.data), bytes(second.data)) == (b"\0\0", b"\1\2\1\2")


def test_of_outputs_that_are_left_out_nothing_is_expected() -> None:
    case = variadic(expectation=Parts(((0, 1), (1, 2), (2, 3))), declared_outputs=3)
    (call,) = steps_of(case, Form.UNUSED_OUTPUTS)
    assert call.expectation == Parts(((0, 1), (2, 3)))
    assert call.declared_outputs == 3


@pytest.mark.parametrize(
    ("form", "case"),
    [
        (Form.SECOND_CALL, refused([1, 2]).with_value("axis", integers([2], ()))),
        (Form.SECOND_CALL, refused([1, 1 << 40])),
        (Form.SECOND_ARGUMENTS, replace(refused([1, 2]), operator=replace(VARIADIC, axis="axes", lengths=None))),
        (Form.BEFORE_CONCAT, variadic(expectation=Parts(((0, 1), (1, 2))))),
        (Form.BEFORE_CONCAT, variadic(expectation=Parts(((1, 3), (0, 1))))),
        (Form.STRIDED, variadic().with_value("data", Value(dtype="int8", shape=(1, 1)))),
        (Form.RUNTIME_LENGTHS, variadic(arguments=variadic().arguments[:2])),
        (Form.RUNTIME_AXIS, variadic(arguments=variadic().arguments[::2])),
        (Form.UNCOUNTED_LENGTHS, variadic(arguments=variadic().arguments[:2])),
        (Form.BROADCAST, variadic().with_value("data", Value(dtype="int8", shape=(1, 3)))),
        (Form.OFFSET, variadic().with_value("data", Value(dtype="int4", shape=(2, 3)))),
        (Form.UNUSED_OUTPUTS, variadic(declared_outputs=1)),
        (Form.EXTERNAL_DATA, variadic()),
        (Form.AFTER_RELU, variadic().with_value("data", Value(dtype="string", shape=(2, 3)))),
        (Form.AFTER_RELU, variadic().with_value("data", Value(dtype="int8", shape=(2, 3), fill=Fill.SPECIAL))),
        (Form.AFTER_RELU, variadic().with_value("data", Value(dtype="int8", shape=(100, 3)))),
    ],
)
def test_form_that_does_not_fit_the_case_is_left_out(form: Form, case: Case) -> None:
    assert forms_of(replace(case, forms=(form,))) == ()


def test_another_axis_other_lengths_and_more_data_stand_between_the_arguments_of_the_case() -> None:
    first, other, more, as_long, last = steps_of(variadic(), Form.SECOND_ARGUMENTS)
    assert (first, last) == (variadic(), variadic())
    assert (other.axis, other.data and other.data.shape) == (0, (3, 2))
    assert (more.axis, more.data and more.data.shape) == (0, (4, 4))
    assert (as_long.axis, as_long.data and as_long.data.shape) == (1, (3, 3))
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


@pytest.mark.parametrize(
    ("form", "first"),
    [
        (Form.SECOND_CALL, (1, (2, 5), Parts(((0, 1), (1, 5))))),
        (Form.SECOND_ARGUMENTS, (0, (2, 3), Parts(((0, 1), (1, 2))))),
    ],
)
def test_valid_call_comes_before_the_one_that_is_to_be_refused(form: Form, first: tuple[object, ...]) -> None:
    case = replace(refused([1, 4]), forms=(form,))
    assert forms_of(case) == (form,)
    valid, invalid = steps_of(case, form)
    assert (valid.axis, valid.data and valid.data.shape, valid.expectation) == first
    assert invalid == case


def test_remainder_is_one_element_of_the_valid_call() -> None:
    valid, _ = steps_of(refused([-1, 4]), Form.SECOND_CALL)
    assert (valid.data and valid.data.shape, valid.expectation) == ((2, 5), Parts(((0, 1), (1, 5))))


def test_invalid_call_has_a_place_in_graphs() -> None:
    case = refused([1, 4]).with_value("data", Value(dtype="float32", shape=(2, 3)))
    graphs = (Form.AFTER_RELU, Form.BEFORE_CONCAT, Form.CONSTANT_FOLDED)
    assert forms_of(replace(case, forms=graphs)) == graphs
    assert steps_of(case, Form.BEFORE_CONCAT) == (case,)


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


@pytest.mark.parametrize("number", [np.nan, -0.0])
def test_what_a_relu_may_leave_as_it_likes_is_asked_where_a_case_says_what_it_may_leave(number: float) -> None:
    data = Value.of(tensor_from_array(np.array([[1, 2, number]], np.float32)))
    case = replace(variadic(), forms=(Form.AFTER_RELU,)).with_value("data", data)
    assert forms_of(case) == ()
    interpretations = tuple(Interpretation(name=name, reason="", expectation=PARTS) for name in "ab")
    assert forms_of(replace(case, expectation=Disputed(interpretations))) == (Form.AFTER_RELU,)


def test_concat_restores_the_data_under_each_reading_of_a_disputed_case() -> None:
    interpretations = tuple(Interpretation(name=name, reason="", expectation=PARTS) for name in "ab")
    _, case = steps_of(replace(variadic(), expectation=Disputed(interpretations)), Form.BEFORE_CONCAT)
    assert isinstance(case.expectation, Disputed)
    assert [reading.expectation for reading in case.expectation.interpretations] == [Parts(((0, 3),))] * 2


def test_disputed_case_has_no_place_before_a_concat_where_a_reading_refuses_it() -> None:
    interpretations = (
        Interpretation(name="a", reason="", expectation=PARTS),
        Interpretation(name="b", reason="", expectation=Rejection("axis.range")),
    )
    assert forms_of(replace(variadic(), forms=(Form.BEFORE_CONCAT,), expectation=Disputed(interpretations))) == ()


def test_a_type_without_sign_has_nothing_below_zero() -> None:
    case = variadic().with_value("data", Value(dtype="float8_e8m0fnu", shape=(2, 3)))
    assert steps_of(case, Form.AFTER_RELU) == steps_of(case, Form.SAME_CALL_TWICE)[1:]


def test_invalid_case_is_not_restated() -> None:
    forms = forms_of(variadic(expectation=Rejection("split_lengths.sum")))
    assert not {Form.AXIS_FROM_END, Form.SECOND_CALL} & set(forms)
    assert Form.RUNTIME_DYNAMIC_RANK in forms


def test_no_outputs_are_expected_of_an_invalid_call() -> None:
    with pytest.raises(ValueError, match=r"^openvino.VariadicSplit-1/a: no outputs are expected$"):
        expected_outputs(Rejection("split_lengths.sum"), variadic())


def test_case_with_data_alone_has_no_runtime_arguments() -> None:
    data, axis, _ = variadic().arguments
    case = variadic(arguments=(data, replace(axis, role=Role.ATTRIBUTE, value=1)))
    assert forms_of(case) == (
        Form.CONSTANT,
        Form.DYNAMIC,
        Form.AXIS_FROM_END,
        Form.SECOND_CALL,
    )


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


def test_other_elements_come_between_two_calls_alike() -> None:
    first, second, third = steps_of(variadic(), Form.SAME_CALL_TWICE)
    assert (first, third) == (variadic(), variadic())
    assert second.data == replace(first.data or integers([], ()), start=7)


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
    assert only_integer(value) == number


def test_described_tensor_is_made_from_its_fill() -> None:
    value = Value(dtype="bool", shape=(4,), fill=Fill.SPECIAL)
    assert (bytes(value.tensor().data), value.nbytes) == (b"\0\1\0\1", 4)


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
