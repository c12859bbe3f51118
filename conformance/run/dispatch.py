"""Builds the request for an adapter, or says why its description rules the check out; and how hard to measure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from conformance.protocol.call import Request
from conformance.protocol.outcome import (
    ANSWER_BYTES,
    INPUTS_KEPT,
    MEMORY_LIMIT_BYTES,
    Description,
    Effort,
    NotDeclaredOutcome,
    NotExpressibleOutcome,
    Outcome,
    Produced,
    RejectedOutcome,
)
from conformance.spec.check import Check
from conformance.spec.control import control_of
from conformance.spec.lowering.onnx_model import lower
from conformance.spec.operator import is_named


@dataclass(frozen=True, kw_only=True)
class Dispatch:
    """A request to send. `lowered` says how the engine converted the call, as in `outcome.Provenance`."""

    request: Request
    lowered: str = ""

    @cached_property
    def nbytes(self) -> int:
        """Size in bytes of all tensors that the backend gets."""
        return self.request.nbytes

    @property
    def max_answer_bytes(self) -> int:
        """The size limit of an answer: several times the data, and room for rejections and small calls."""
        return ANSWER_BYTES + 4 * self.nbytes

    @property
    def memory_bytes(self) -> int:
        """The memory that a process of the worker may fill meanwhile."""
        return MEMORY_LIMIT_BYTES + INPUTS_KEPT * self.nbytes

    def marked_lowered(self, outcome: Outcome) -> Outcome:
        """The outcome, marked as lowered if the engine lowered the call and the adapter reports nothing else."""
        if self.lowered and isinstance(outcome, Produced | RejectedOutcome) and not outcome.provenance.lowered:
            return replace(outcome, provenance=replace(outcome.provenance, lowered=self.lowered))
        return outcome


def dispatch(description: Description, check: Check) -> Dispatch | NotDeclaredOutcome | NotExpressibleOutcome:
    """The request for an adapter, or the outcome if its description or the lowering rules the check out."""
    declined = declined_by(description, check)
    if declined is not None:
        return declined
    request = control_of(check) if check.is_control else check.request
    if request is None:
        return NotExpressibleOutcome(message="a call that must be rejected has no control")
    if request.call.dialect not in description.onnx_models:
        return Dispatch(request=request)
    lowered = lower(request.call)
    if isinstance(lowered, NotExpressibleOutcome):
        return lowered
    call = replace(request.call, model=lowered.model, model_data=lowered.model_data)
    return Dispatch(request=replace(request, call=call), lowered=lowered.lowered)


def declined_by(description: Description, check: Check) -> NotDeclaredOutcome | None:
    """The outcome if the description rules the check out: it does not declare the operator, form, control or type."""
    operator, data = check.case.operator.id, check.case.data
    if not is_named(operator, description.operators):
        return NotDeclaredOutcome(message=f"the adapter does not declare {operator}")
    if check.form.value not in description.forms:
        return NotDeclaredOutcome(message=f"the adapter does not declare the form {check.form.value!r}")
    if check.is_control and check.form.value not in description.controls:
        return NotDeclaredOutcome(message=f"the adapter has no control of the form {check.form.value!r}")
    if description.dtypes is not None and data is not None and data.dtype not in description.dtypes:
        return NotDeclaredOutcome(message=f"the adapter does not declare the type {data.dtype}")
    return None


# How hard to measure: a closed table of two modes.


class TimingMode(Enum):
    """The mode that a run chooses."""

    OFF = "off"
    QUICK = "quick"
    PRECISE = "precise"


EFFORTS = {
    TimingMode.QUICK: Effort(
        rounds=1,
        warm_up_ns=50_000_000,
        batch_ns=500_000,
        min_samples=7,
        max_samples=200,
        limit_ns=100_000_000,
        width_percent=5,
    ),
    TimingMode.PRECISE: Effort(
        rounds=6,
        warm_up_ns=100_000_000,
        batch_ns=500_000,
        min_samples=5,
        max_samples=500,
        limit_ns=200_000_000,
        width_percent=1,
    ),
}
"""The effort of each mode. Six rounds are the fewest whose medians have an interval of 95 %."""
