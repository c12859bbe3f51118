"""Builds the request for a check: its form decides constants, known dims, graph and layout."""

from __future__ import annotations

from conformance.spec.call import Attribute, Call, Input, Spelling, Surroundings
from conformance.spec.case import Argument, Case, Value
from conformance.spec.check import Check
from conformance.spec.form import Form
from conformance.spec.operator import Operator, Role
from conformance.spec.request import Layout, Request

SURROUNDINGS = {
    Form.AFTER_RELU: Surroundings.AFTER_RELU,
    Form.BEFORE_CONCAT: Surroundings.BEFORE_CONCAT,
    Form.UNUSED_OUTPUTS: Surroundings.UNUSED_OUTPUTS,
}
SPELLINGS = {
    Form.UNNAMED_OUTPUTS: Spelling.UNNAMED_OUTPUTS,
    Form.EMPTY_INPUT_NAME: Spelling.EMPTY_INPUT_NAME,
    Form.EXTERNAL_DATA: Spelling.EXTERNAL_DATA,
}
LAYOUTS = {
    Form.STRIDED: Layout.STRIDED,
    Form.TRANSPOSED: Layout.TRANSPOSED,
    Form.REVERSED: Layout.REVERSED,
    Form.BROADCAST: Layout.BROADCAST,
    Form.OFFSET: Layout.OFFSET,
}


def request_for(check: Check) -> Request:
    """The request for a check, without an ONNX model."""
    case, form, last = check.case, check.form, check.steps[-1]
    inputs = [argument for argument in last.arguments if argument.role is Role.INPUT]
    call = Call(
        operator=case.operator.id,
        attributes={a.name: _attribute(a) for a in last.arguments if a.role is Role.ATTRIBUTE},
        inputs=tuple(_input(argument, form, case) for argument in inputs),
        declared_outputs=case.declared_outputs,
        surroundings=SURROUNDINGS.get(form, Surroundings.NONE),
        concat_axis=(case.axis_from_front or 0) if form is Form.BEFORE_CONCAT else None,
        spelling=SPELLINGS.get(form, Spelling.PLAIN),
    )
    at_run_time = {item.name for item in call.inputs if item.constant is None}
    runs = tuple(
        {
            argument.name: argument.value.tensor()
            for argument in step.arguments
            if argument.name in at_run_time and isinstance(argument.value, Value)
        }
        for step in check.steps
    )
    return Request(call=call, runs=runs, layout=LAYOUTS.get(form, Layout.CONTIGUOUS))


def _input(argument: Argument, form: Form, case: Case) -> Input:
    value = argument.value
    assert isinstance(value, Value)
    if not _is_at_run_time(argument.name, form, case.operator):
        return Input(name=argument.name, dtype=value.dtype, dims=value.shape, constant=value.tensor())
    dims = _known_dims(value.shape, form)
    if (
        dims in ((None,), None)
        and case.operator.counts_outputs_by(argument.name)
        and form is not Form.UNCOUNTED_LENGTHS
    ):
        dims = (case.declared_outputs,)
    return Input(name=argument.name, dtype=value.dtype, dims=dims)


def _is_at_run_time(name: str, form: Form, operator: Operator) -> bool:
    """Whether an input is given at run time and not a constant of the model."""
    if form.has_constant_data:
        return False
    if name == operator.data or form.has_runtime_arguments:
        return True
    return (form is Form.RUNTIME_LENGTHS and name == operator.lengths) or (
        form is Form.RUNTIME_AXIS and name == operator.axis
    )


def _known_dims(shape: tuple[int, ...], form: Form) -> tuple[int | None, ...] | None:
    """The dims that the model knows of a runtime input; None for an unknown rank."""
    if form.has_unknown_ranks:
        return None
    return (None,) * len(shape) if form.has_unknown_dims else shape


def _attribute(argument: Argument) -> Attribute:
    assert not isinstance(argument.value, Value)
    return argument.value
