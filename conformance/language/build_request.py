"""Builds the request for a check: its form decides constants, known dims, graph and layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from conformance.border.call import Attribute, Call, Input
from conformance.border.form import AtRunTime, Form, KnownShapes
from conformance.border.request import Request
from conformance.language.case import Argument, Case, Disputed, Rejection, Value, expected_outputs
from conformance.language.operator import Operator, Role
from conformance.values.tensor import KnownShape


def request_of(case: Case, form: Form, steps: Sequence[Case]) -> Request:
    """The request for a case in a form, whose calls are `steps`, without an ONNX model."""
    last = steps[-1]
    inputs = [argument for argument in last.arguments if argument.role is Role.INPUT]
    call = Call(
        operator=case.operator.id,
        attributes={a.name: _attribute(a) for a in last.arguments if a.role is Role.ATTRIBUTE},
        inputs=tuple(_input(argument, form, case) for argument in inputs),
        declared_outputs=case.declared_outputs,
        graph=form.properties.graph,
        concat_axis=(case.split_dim or 0) if form.joins_outputs else None,
        encoding=form.properties.encoding,
    )
    at_run_time = {item.name for item in call.inputs if item.constant is None}
    runs = tuple(
        {
            argument.name: argument.value.tensor()
            for argument in step.arguments
            if argument.name in at_run_time and isinstance(argument.value, Value)
        }
        for step in steps
    )
    calls = [declared(call, case.operator, _shapes(step)) for step in steps]
    return Request(call=replace(calls[-1], output_rank=_rank(case, calls)), runs=runs, layout=form.properties.layout)


def _shapes(step: Case) -> dict[str, tuple[int, ...]]:
    return {argument.name: argument.value.shape for argument in step.arguments if isinstance(argument.value, Value)}


def _rank(case: Case, calls: Sequence[Call]) -> int | None:
    """The rank that the model may declare: that of all calls, and under all interpretations; None if they differ."""
    ranks = {call.output_rank for call in calls}
    answered = [expected for expected in case.expectations if not isinstance(expected, Rejection)]
    if isinstance(case.expectation, Disputed) and answered and None not in ranks:
        ranks = {len(output.shape) for expected in answered for output in expected_outputs(expected, case)}
    return ranks.pop() if len(ranks) == 1 else None


def _input(argument: Argument, form: Form, case: Case) -> Input:
    value = argument.value
    assert isinstance(value, Value)
    if not _is_at_run_time(argument.name, form, case):
        return Input(name=argument.name, dtype=value.dtype, dims=value.shape, constant=value.tensor())
    dims = _known_dims(argument.name, value.shape, form, case)
    if (
        dims in ((None,), None)
        and case.operator.counts_outputs_by(argument.name)
        and form.properties.known is not KnownShapes.UNCOUNTED_RANKS
    ):
        dims = (case.declared_outputs,)
    return Input(name=argument.name, dtype=value.dtype, dims=dims)


def declared(call: Call, operator: Operator, shapes: Mapping[str, tuple[int, ...]]) -> Call:
    """The call with what the operator's page says of every call with inputs of these shapes."""
    rule, typed = operator.outputs, _first_input(call, operator, operator.outputs.type_of)
    typed = typed or next(iter(call.inputs), None)  # a call without its data is invalid, and its model is not
    has_ranks = all(item.dims is not None for item in call.inputs)
    return replace(
        call,
        signature=operator.signature([item.name for item in call.inputs]),
        output_dtype=rule.dtype or (None if typed is None else typed.dtype),
        output_rank=operator.output_rank(shapes, call.attributes) if has_ranks else None,
        last_opset=operator.last_opset,
    )


def _dims_in_model(dims: KnownShape, shape: tuple[int, ...]) -> KnownShape:
    """The dims of a case's model, as far as they are those of this call, which may be another one of the same model."""
    if dims is None or len(dims) != len(shape):
        return None
    return tuple(dim if dim == length else None for dim, length in zip(dims, shape, strict=True))


def _first_input(call: Call, operator: Operator, name: str | None) -> Input | None:
    """The input of a parameter, or the first of a variadic one."""
    taking = [parameter for parameter in operator.inputs if parameter.name == name]
    return next((item for item in call.inputs if any(parameter.takes(item.name) for parameter in taking)), None)


def _is_at_run_time(name: str, form: Form, case: Case) -> bool:
    """Whether an input is given at run time and not a constant of the model."""
    operator = case.operator
    match form.properties.at_run_time:
        case AtRunTime.NOTHING:
            return False
        case AtRunTime.ALL:
            return True
        case AtRunTime.DATA:
            return operator.is_data(name)
        case AtRunTime.LENGTHS:
            return operator.is_data(name) or name == operator.lengths
        case AtRunTime.AXIS:
            return operator.is_data(name) or name == operator.split_axis
        case AtRunTime.AS_IN_THE_MODEL:
            return name in (case.in_model or {})


def _known_dims(name: str, shape: tuple[int, ...], form: Form, case: Case) -> KnownShape:
    """The dims that the model knows of a runtime input; None for an unknown rank."""
    if form.properties.known is KnownShapes.AS_IN_THE_MODEL:
        return _dims_in_model((case.in_model or {}).get(name), shape)
    if form.has_unknown_ranks:
        return None
    if form.properties.known is KnownShapes.SOME:
        return tuple(dim if place % 2 else None for place, dim in enumerate(shape))
    return (None,) * len(shape) if form.has_unknown_dims else shape


def _attribute(argument: Argument) -> Attribute:
    assert not isinstance(argument.value, Value)
    return argument.value
