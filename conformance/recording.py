"""Puts a judged check into a record: everything that a reader without the suite and the framework needs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import assert_never

from conformance.asking import question_of
from conformance.deviation import Deviation, deviation_of, standing_verdict
from conformance.form_calls import calls_of
from conformance.hypotheses.evidence import differing_indices
from conformance.judge import Difference, Mismatch, judge
from conformance.outcome import (
    AdapterFailed,
    Crashed,
    NotExpressible,
    Outcome,
    Produced,
    Rejected,
    TimedOut,
    Unstable,
    Unsupported,
)
from conformance.plan import Check
from conformance.record import CallEntry, CheckRecord, DifferenceEntry, InputEntry, tensor_entry
from conformance.tensor import Tensor, mask_unused_bits
from conformance.verdict import Verdict

MESSAGE_CHARACTERS = 4000


def record_of(check: Check, target: str, outcome: Outcome, deviations: Sequence[Deviation]) -> CheckRecord:
    """The record of one check, judged; `deviations` are those that speak of the target."""
    case, form = check.case, check.form
    judgement = judge(calls_of(case, form), outcome)
    deviation = deviation_of(deviations, case, form, judgement.verdict, judgement.cause)
    verdict = standing_verdict(judgement.verdict, judgement.cause, deviation)
    happened = _happened(outcome)
    is_told = verdict.is_difference or verdict is Verdict.HARNESS_ERROR
    return CheckRecord(
        target=target,
        case=case.id,
        form=form,
        verdict=verdict,
        judged=judgement.verdict,
        clauses=list(case.clauses),
        outcome=_NAMES[type(outcome)],
        dtype=case.data.dtype if case.data is not None else "",
        cause=judgement.cause,
        explanation=judgement.explanation[:MESSAGE_CHARACTERS],
        interpretation=judgement.interpretation,
        deviation=deviation.id if deviation is not None else "",
        where=case.where if is_told else "",
        call=call_entry(check) if is_told else None,
        differences=[_difference(item) for item in judgement.differences],
        **happened,  # type: ignore[arg-type]
    )


def not_run_record(check: Check, target: str, reason: str) -> CheckRecord:
    """The record of a check that the run ended before."""
    return CheckRecord(
        target=target,
        case=check.case.id,
        form=check.form,
        verdict=Verdict.NOT_RUN,
        judged=Verdict.NOT_RUN,
        clauses=list(check.case.clauses),
        outcome="not run",
        dtype=check.case.data.dtype if check.case.data is not None else "",
        explanation=reason[:MESSAGE_CHARACTERS],
    )


def outputs_digest(runs: Sequence[Sequence[Tensor]]) -> str:
    """SHA-256 over dtype, shape and meaningful bits of every output of every run, in order."""
    total = hashlib.sha256()
    for run in runs:
        total.update(b"run\0")
        for tensor in run:
            total.update(f"{tensor.dtype}{list(tensor.shape)}\0".encode())
            total.update(mask_unused_bits(tensor))
    return total.hexdigest()


def call_entry(check: Check) -> CallEntry:
    """The call as it was put to the backend."""
    question = question_of(check.case, check.form)
    inputs = [
        InputEntry(
            name=item.name,
            dtype=item.dtype,
            dims=None if item.dims is None else list(item.dims),
            constant=item.constant is not None,
            values=[
                tensor_entry(tensor)
                for tensor in ([item.constant] if item.constant is not None else [r[item.name] for r in question.runs])
            ],
        )
        for item in question.call.inputs
    ]
    return CallEntry(
        attributes=dict(question.call.attributes), inputs=inputs, declared_outputs=question.call.declared_outputs
    )


_NAMES: dict[type[Outcome], str] = {
    Produced: "produced",
    Rejected: "rejected",
    Unsupported: "unsupported",
    NotExpressible: "not expressible",
    Crashed: "crashed",
    TimedOut: "timed out",
    Unstable: "unstable",
    AdapterFailed: "failed",
}


def _happened(outcome: Outcome) -> dict[str, object]:
    """The fields of a record that depend on what happened."""
    fields: dict[str, object] = {}
    match outcome:
        case Produced():
            fields["outputs"] = outputs_digest(outcome.runs)
        case Rejected():
            fields |= {"stage": outcome.stage, "message": outcome.message[:MESSAGE_CHARACTERS]}
            fields["answered"] = outcome.answered
        case Unsupported() | AdapterFailed():
            fields["message"] = outcome.message[:MESSAGE_CHARACTERS]
        case NotExpressible():
            fields["message"] = outcome.reason[:MESSAGE_CHARACTERS]
        case Crashed():
            fields["stage"] = outcome.stage
        case TimedOut():
            pass
        case Unstable():
            fields["message"] = "checks before it in the same process: " + "; ".join(outcome.suspects)
        case _:
            assert_never(outcome)
    if isinstance(outcome, Crashed | TimedOut | Unstable | AdapterFailed):
        fields["stderr"] = outcome.stderr
    if isinstance(outcome, Produced | Rejected):
        fields |= {
            "lowered": outcome.provenance.lowered,
            "ran_on": outcome.provenance.ran_on,
            "aliases_input": outcome.provenance.aliases_input,
            "changed_inputs": list(outcome.provenance.changed_inputs),
            "prepare_ns": outcome.timing.prepare_ns,
            "run_ns": list(outcome.timing.run_ns),
        }
    return fields


def _difference(difference: Difference) -> DifferenceEntry:
    expected, actual, differing, first = difference.expected, difference.actual, 0, 0
    if difference.mismatch is Mismatch.BITS and expected is not None and actual is not None:
        indices = differing_indices(expected, actual)
        differing, first = len(indices), indices[0]
    return DifferenceEntry(
        run=difference.run,
        output=difference.output,
        mismatch=difference.mismatch.value,
        expected=None if expected is None else tensor_entry(expected, first),
        actual=None if actual is None else tensor_entry(actual, first),
        differing=differing,
        first=first,
    )
