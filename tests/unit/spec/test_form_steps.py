from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from split_cases import PARTS, VARIADIC, integers, refused, variadic

from conformance.protocol.form import Form
from conformance.spec.case import Case, Disputed, Interpretation, Parts, Rejection, Value
from conformance.spec.check import forms_of, steps_of
from conformance.spec.operator import Role
from conformance.tensors.fill import Fill
from conformance.tensors.tensor import tensor_from_array


def test_valid_case_has_the_usual_forms_in_which_ranks_are_known() -> None:
    assert forms_of(variadic()) == tuple(form for form in Form if form.is_usual and not form.has_unknown_ranks)


def test_invalid_case_runs_with_unknown_ranks_too() -> None:
    forms = forms_of(variadic(expectation=Rejection("axis.range")))
    assert {Form.DYNAMIC_RANK, Form.RUNTIME_DYNAMIC_RANK} <= set(forms)


def test_case_that_names_forms_has_those_that_fit() -> None:
    floats = variadic().with_value("data", Value(dtype="float32", shape=(2, 3)))
    known = [form for form in Form if not form.is_of_onnx and form is not Form.AS_IN_THE_MODEL]
    assert forms_of(replace(floats, forms=tuple(Form))) == tuple(known)
    assert Form.AS_IN_THE_MODEL in forms_of(replace(floats, forms=tuple(Form), in_model={"data": (None, 3)}))
    assert forms_of(variadic(forms=(Form.BEFORE_CONCAT, Form.RUNTIME))) == (Form.RUNTIME, Form.BEFORE_CONCAT)


@pytest.mark.parametrize("form", [Form.UNNAMED_OUTPUTS, Form.EMPTY_INPUT_NAME, Form.EXTERNAL_DATA])
def test_ways_to_write_an_onnx_model_run_on_onnx_where_an_input_is_left_out(form: Form) -> None:
    split_13 = replace(VARIADIC, dialect="onnx", name="Split", version=13, num_outputs="num_outputs")
    assert forms_of(variadic(operator=split_13, arguments=variadic().arguments[:2], forms=(form,))) == (form,)


@pytest.mark.parametrize(
    ("form", "case"),
    [
        (Form.SECOND_CALL, refused([1, 2]).with_value("axis", integers([2], ()))),
        (Form.SECOND_CALL, refused([1, 1 << 40])),
        (Form.SECOND_CALL, variadic().with_value("data", Value(dtype="int8", shape=(1 << 32, 3)))),
        (Form.SECOND_ARGUMENTS, replace(refused([1, 2]), operator=replace(VARIADIC, split_axis="axes", lengths=None))),
        (Form.BEFORE_CONCAT, variadic(expectation=Parts(((0, 1), (1, 2))))),
        (Form.BEFORE_CONCAT, variadic(expectation=Parts(((1, 3), (0, 1))))),
        (Form.STRIDED, variadic().with_value("data", Value(dtype="int8", shape=(1, 1)))),
        (Form.RUNTIME_STRIDED, variadic(arguments=variadic().arguments[:2])),
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
    assert (valid.split_axis, valid.data and valid.data.shape, valid.expectation) == first
    assert invalid == case


def test_invalid_call_has_a_place_in_graphs() -> None:
    case = refused([1, 4]).with_value("data", Value(dtype="float32", shape=(2, 3)))
    graphs = (Form.AFTER_RELU, Form.BEFORE_CONCAT, Form.CONSTANT_FOLDED)
    assert forms_of(replace(case, forms=graphs)) == graphs
    assert steps_of(case, Form.BEFORE_CONCAT) == (case,)


@pytest.mark.parametrize("number", [np.nan, -0.0])
def test_what_a_relu_may_leave_open_runs_where_a_case_says_what_it_may_leave(number: float) -> None:
    data = Value.of(tensor_from_array(np.array([[1, 2, number]], np.float32)))
    case = replace(variadic(), forms=(Form.AFTER_RELU,)).with_value("data", data)
    assert forms_of(case) == ()
    interpretations = tuple(Interpretation(name=name, reason="", expectation=PARTS) for name in "ab")
    assert forms_of(replace(case, expectation=Disputed(interpretations))) == (Form.AFTER_RELU,)


def test_disputed_case_has_no_place_before_a_concat_where_a_reading_refuses_it() -> None:
    interpretations = (
        Interpretation(name="a", reason="", expectation=PARTS),
        Interpretation(name="b", reason="", expectation=Rejection("axis.range")),
    )
    assert forms_of(replace(variadic(), forms=(Form.BEFORE_CONCAT,), expectation=Disputed(interpretations))) == ()


def test_invalid_case_is_not_restated() -> None:
    forms = forms_of(variadic(expectation=Rejection("split_lengths.sum")))
    assert not {Form.AXIS_FROM_END, Form.SECOND_CALL} & set(forms)
    assert Form.RUNTIME_DYNAMIC_RANK in forms


def test_case_with_data_alone_has_no_runtime_arguments() -> None:
    data, axis, _ = variadic().arguments
    case = variadic(arguments=(data, replace(axis, role=Role.ATTRIBUTE, value=1)))
    assert forms_of(case) == (
        Form.CONSTANT,
        Form.DYNAMIC,
        Form.AXIS_FROM_END,
        Form.SECOND_CALL,
    )


def test_other_elements_come_between_two_calls_alike() -> None:
    first, second, third = steps_of(variadic(), Form.SAME_CALL_TWICE)
    assert (first, third) == (variadic(), variadic())
    assert second.data == replace(first.data or integers([], ()), start=7)
