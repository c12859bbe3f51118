"""Controls: a check that runs again without its operator, to tell the operator's faults from a neighbour's.

A form may put a neighbour beside the operator: a Relu, a Concat, a constant, an input in another layout. The outputs of
the neighbour alone go through the operator as its page specifies. If the check gave the same, bit for bit, and the call
without any neighbour conforms, the neighbour explains the deviation. Forms without a neighbour have no control.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from conformance.protocol.call import Input, Request
from conformance.protocol.form import Form
from conformance.protocol.outcome import Outcome, Produced, RejectedOutcome
from conformance.spec.broken_clause import BrokenClauseError
from conformance.spec.case import (
    Case,
    Expectation,
    ExpectedOutputs,
    call_arguments,
    expectations_of,
    expected_outputs,
)
from conformance.spec.check import Check
from conformance.spec.reference import OPERATORS, evaluate
from conformance.tensors.tensor import Tensor, slices_along


def control_of(check: Check) -> Request | None:
    """The request of a check without its operator; None without a neighbour, or if a step requires a rejection."""
    case, form = check.case, check.form
    if not form.neighbour or case.data is None or any(_answered(step.expectation) is None for step in check.steps):
        return None
    request, runs = check.request, tuple(_passed_on(check, step) for step in check.steps)
    given = next((item for item in request.call.inputs if case.operator.is_data(item.name)), None)
    inputs: tuple[Input, ...] = (given,) if given is not None and not form.joins_outputs else ()
    inputs = inputs or tuple(Input(name=name, dtype=part.dtype, dims=part.shape) for name, part in runs[0].items())
    at_run_time = {item.name for item in inputs if item.constant is None}
    call = replace(request.call, attributes={}, inputs=inputs, declared_outputs=1, is_control=True)
    return replace(
        request,
        call=call,
        runs=tuple({name: tensor for name, tensor in run.items() if name in at_run_time} for run in runs),
    )


def plain_of(check: Check) -> Check:
    """The same case without any neighbour, which has to conform before a control excuses anything."""
    return Check(check.case, Form.CONSTANT)


def _answered(expectation: Expectation) -> ExpectedOutputs | None:
    """The expected outputs; under several interpretations, those of the first that expects any."""
    return next((expected for expected in expectations_of(expectation) if isinstance(expected, ExpectedOutputs)), None)


def _passed_on(check: Check, step: Case) -> Mapping[str, Tensor]:
    """The input of the neighbours in one step: the outputs of the operator, or its data."""
    if check.form.joins_outputs:
        expectation = _answered(check.case.expectation)
        assert expectation is not None
        parts = expected_outputs(expectation, step)
        return {f"part_{number}": part for number, part in enumerate(parts)}
    assert step.data is not None
    return {next(iter(step.data_inputs)): step.data.tensor()}


def effects_of(check: Check, control: Outcome) -> tuple[Outcome, ...]:
    """The outcomes that a check would have if its operator is correct and its neighbours behave as in the control.

    Empty if the control did not return one output per step, if the output of a Concat has the wrong shape, or if the
    operator has no reference. Two for a Concat, which gets each part twice. If the page forbids the neighbour's outputs
    as data, the outcome is a rejection without a stage.
    """
    if not isinstance(control, Produced):
        return (control,)
    if len(control.runs) != len(check.steps) or any(len(run) != 1 for run in control.runs):
        return ()
    given = [run[0] for run in control.runs]
    try:
        if check.form.joins_outputs:
            halves = zip(*map(_halves, check.steps, given), strict=True)
            return tuple(replace(control, runs=tuple((half,) for half in runs), inferred=None) for runs in halves)
        if check.case.operator.id not in OPERATORS:
            return ()
        taken = check.request.call.graph_outputs
        runs = tuple(_applied(step, data)[taken] for step, data in zip(check.steps, given, strict=True))
        return (replace(control, runs=runs, inferred=None),)
    except BrokenClauseError as error:
        return (RejectedOutcome(stage=None, message=str(error)),)
    except _UnlikelyError:
        return ()


class _UnlikelyError(Exception):
    """The Concat of a control returned a shape that does not follow from its inputs."""


def _halves(step: Case, joined: Tensor) -> tuple[Tensor, Tensor]:
    """The two halves of the output of a Concat that got the parts of a step twice."""
    axis, data = step.split_dim, step.data
    assert axis is not None
    assert data is not None
    length = data.shape[axis]
    if joined.shape != (*data.shape[:axis], 2 * length, *data.shape[axis + 1 :]):
        raise _UnlikelyError
    first, second = slices_along(joined, axis, ((0, length), (length, 2 * length)))
    return first, second


def _applied(step: Case, data: Tensor) -> tuple[Tensor, ...]:
    arguments = {**call_arguments(step), next(iter(step.data_inputs)): data}
    return evaluate(step.operator.id, arguments, step.declared_outputs)
