"""Controls: a check whose graph is asked again without its operator, to tell the operator's faults from a neighbour's.

A form may put something else into the graph: a Relu, a Concat, a constant, a compiler. What that gives alone is taken
through the operator as its page says; where the check gave the same, bit for bit, the neighbour accounts for all that
is wrong with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from conformance.selection.selection import Check
from conformance.spec.build_request import request_for
from conformance.spec.call import Input
from conformance.spec.case import Case, Disputed, Expectation, Literals, Parts, call_arguments, expected_outputs
from conformance.spec.form import Form
from conformance.spec.form_steps import calls_of
from conformance.spec.outcome import Outcome, Produced, RejectedOutcome
from conformance.spec.reference import BrokenClauseError, evaluate
from conformance.spec.request import Request
from conformance.values.tensor import Tensor, slices_along

BY_THE_PAGE = "taking what the neighbour gave"
"""The stage of a refusal that the page demands and no framework said."""


def control_of(check: Check) -> Request | None:
    """The request of a check without its operator; None where one of its calls is to be refused."""
    case, form = check.case, check.form
    calls = calls_of(case, form)
    if case.data is None or any(_answered(call.expectation) is None for call in calls):
        return None
    request, runs, inputs = request_for(case, form), tuple(_passed_on(case, form, call) for call in calls), []
    given = request.call.input(case.operator.data)
    for name, tensor in runs[0].items():
        if form is Form.BEFORE_CONCAT or given is None:
            inputs.append(Input(name=name, dtype=tensor.dtype, dims=tensor.shape))
        else:
            inputs.append(given)
    at_run_time = {item.name for item in inputs if item.constant is None}
    call = replace(request.call, attributes={}, inputs=tuple(inputs), declared_outputs=1, is_control=True)
    return replace(
        request,
        call=call,
        runs=tuple({name: tensor for name, tensor in run.items() if name in at_run_time} for run in runs),
    )


def _answered(expectation: Expectation) -> Parts | Literals | None:
    """The outputs that are expected: of several interpretations, those of the first that expects any."""
    expectations = [expectation]
    if isinstance(expectation, Disputed):
        expectations = [interpretation.expectation for interpretation in expectation.interpretations]
    return next((expected for expected in expectations if isinstance(expected, Parts | Literals)), None)


def _passed_on(case: Case, form: Form, call: Case) -> Mapping[str, Tensor]:
    """What goes through the neighbours in one call: the outputs of the operator, or the data."""
    if form is Form.BEFORE_CONCAT:
        expectation = _answered(case.expectation)
        assert expectation is not None
        parts = expected_outputs(expectation, call)
        return {f"part_{number}": part for number, part in enumerate(parts)}
    assert call.data is not None
    return {case.operator.data: call.data.tensor()}


def effects_of(check: Check, control: Outcome) -> tuple[Outcome, ...]:
    """What a check gives if its operator does as its page says, and all else as in a control; none where the control
    gave what no part of the check can have given.

    There are two in front of a Concat, which got everything twice. Data that the page forbids is refused `BY_THE_PAGE`.
    """
    if not isinstance(control, Produced):
        return (control,)
    calls = calls_of(check.case, check.form)
    if len(control.runs) != len(calls) or any(len(run) != 1 for run in control.runs):
        return ()
    given = [run[0] for run in control.runs]
    try:
        if check.form is Form.BEFORE_CONCAT:
            halves = zip(*map(_halves, calls, given), strict=True)
            return tuple(replace(control, runs=tuple((half,) for half in runs), inferred=None) for runs in halves)
        taken = request_for(check.case, check.form).call.graph_outputs
        runs = tuple(_applied(call, data)[taken] for call, data in zip(calls, given, strict=True))
        return (replace(control, runs=runs, inferred=None),)
    except BrokenClauseError as error:
        return (RejectedOutcome(stage=BY_THE_PAGE, message=str(error)),)
    except _UnlikelyError:
        return ()


class _UnlikelyError(Exception):
    """The control gave what is not as large as what it got."""


def _halves(call: Case, joined: Tensor) -> tuple[Tensor, Tensor]:
    """What a Concat made of the parts of a call that it got twice."""
    axis, data = call.axis_from_front, call.data
    assert axis is not None
    assert data is not None
    length = data.shape[axis]
    if joined.shape != (*data.shape[:axis], 2 * length, *data.shape[axis + 1 :]):
        raise _UnlikelyError
    first, second = slices_along(joined, axis, ((0, length), (length, 2 * length)))
    return first, second


def _applied(call: Case, data: Tensor) -> tuple[Tensor, ...]:
    arguments = {**call_arguments(call), call.operator.data: data}
    return evaluate(call.operator.id, arguments, call.declared_outputs)
