"""Makes a question of a check: where a form becomes constants and runtime inputs, known and unknown dims, a graph, a
layout.
"""

from __future__ import annotations

from conformance.call import Attribute, Call, Input, Surroundings
from conformance.case import Argument, Case, Value
from conformance.form import Form
from conformance.form_calls import calls_of
from conformance.operator import Role
from conformance.question import Layout, Question

SURROUNDINGS = {
    Form.AFTER_RELU: Surroundings.AFTER_RELU,
    Form.BEFORE_CONCAT: Surroundings.BEFORE_CONCAT,
}
LAYOUTS = {Form.STRIDED: Layout.STRIDED, Form.TRANSPOSED: Layout.TRANSPOSED}


def question_of(case: Case, form: Form) -> Question:
    """The check of a case in one form."""
    calls = calls_of(case, form)
    inputs = [argument for argument in calls[-1].arguments if argument.role is Role.INPUT]
    call = Call(
        operator=case.operator.id,
        attributes={a.name: _attribute(a) for a in calls[-1].arguments if a.role is Role.ATTRIBUTE},
        inputs=tuple(_input(argument, form, argument.name == case.operator.data) for argument in inputs),
        declared_outputs=case.declared_outputs,
        surroundings=SURROUNDINGS.get(form, Surroundings.NONE),
        concat_axis=(case.axis_from_front or 0) if form is Form.BEFORE_CONCAT else None,
    )
    at_run_time = {item.name for item in call.inputs if item.constant is None}
    runs = tuple(
        {
            argument.name: argument.value.tensor()
            for argument in one.arguments
            if argument.name in at_run_time and isinstance(argument.value, Value)
        }
        for one in calls
    )
    return Question(call=call, runs=runs, layout=LAYOUTS.get(form, Layout.CONTIGUOUS))


def _input(argument: Argument, form: Form, is_data: bool) -> Input:  # noqa: FBT001  (a property of the argument)
    value = argument.value
    assert isinstance(value, Value)
    if form is Form.CONSTANT_FOLDED or not (is_data or form.has_runtime_arguments):
        return Input(name=argument.name, dtype=value.dtype, dims=value.shape, constant=value.tensor())
    return Input(name=argument.name, dtype=value.dtype, dims=_known_dims(value.shape, form))


def _known_dims(shape: tuple[int, ...], form: Form) -> tuple[int | None, ...] | None:
    """What the model may know of the shape of a runtime input."""
    if form.has_unknown_ranks:
        return None
    return (None,) * len(shape) if form.has_unknown_dims else shape


def _attribute(argument: Argument) -> Attribute:
    assert not isinstance(argument.value, Value)
    return argument.value
