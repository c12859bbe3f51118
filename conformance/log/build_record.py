"""Judges outcomes and builds records, which hold all that a reader without the suite and the framework needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from statistics import mean, median
from typing import Any

from conformance.judge.controls import TwinAnswer, control_explains
from conformance.judge.deviation import Departure, Deviation, resembling, standing
from conformance.judge.judge import Acceptance, Difference, Mismatch, acceptance_of, is_right, judge
from conformance.log.record import (
    CallEntry,
    CheckRecord,
    ControlEntry,
    DifferenceEntry,
    InputEntry,
    TimeEntry,
    TimingRecord,
    tensor_entry,
)
from conformance.protocol.outcome import (
    Measurement,
    Outcome,
    Produced,
    RejectedOutcome,
    Samples,
    interval_over_rounds,
    said_of,
)
from conformance.spec.check import Check
from conformance.spec.control import effects_of, plain_of
from conformance.spec.verdict import Verdict
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.tensor import outputs_digest

MESSAGE_CHARACTERS = 4000
_CUT = "\n[...]\n"
_OF_CONTROLS = ("outputs", "stage", "answered", "changed_inputs", "death")
_OF_CALLS = ("declared_outputs", "output_dtype", "output_rank", "last_opset", "concat_axis")
_OF_DEPARTURES = ("message", "outputs", "death", "stage")


def record_of(
    check: Check, target: str, outcome: Outcome, deviations: Sequence[Deviation], twin: TwinAnswer | None = None
) -> CheckRecord:
    """Judges the outcome of one check and returns its record; `deviations` are those that apply to the target.

    `twin` is the answer to the twin of a rejected call, if its judgement needs one.
    """
    case, form = check.case, check.form
    if isinstance(outcome, RejectedOutcome):  # a log keeps no more of the message, and is judged alike
        outcome = replace(outcome, message=shortened(outcome.message))
    judgement = judge(check.steps, outcome, twin)
    happened = _happened(outcome)
    departure = Departure(
        verdict=judgement.verdict,
        cause=judgement.cause,
        **{name: happened[name] for name in _OF_DEPARTURES if name in happened},
    )
    verdict, deviation = standing(deviations, check, departure)
    needs_details = verdict.meaning.section is not None
    return CheckRecord(
        target=target,
        case=case.id,
        form=form,
        verdict=verdict,
        judged=judgement.verdict,
        clauses=list(case.clauses),
        outcome=outcome.tag,
        dtype=case.data.dtype if case.data is not None else "",
        cause=judgement.cause,
        explanation=shortened(judgement.explanation),
        interpretation=judgement.interpretation,
        deviation=deviation.id if deviation is not None else "",
        looks_like=resembling(deviations, check, departure) if deviation is None else "",
        where=case.where if needs_details else "",
        call=call_entry(check) if needs_details else None,
        differences=[_difference(acceptance_of(case), item) for item in judgement.differences],
        inferred=_inferred(outcome) if judgement.verdict.is_difference else None,
        twin=twin,
        **happened,
    )


def control_entry(check: Check, record: CheckRecord, control: Outcome) -> ControlEntry:
    """The entry of a control. Of several effects, prefers one that explains the record, then one that deviates."""
    effects = effects_of(check, control)
    if not effects:
        return ControlEntry(
            outcome=control.tag,
            judged=Verdict.WRONG_RESULT,
            cause="other shape",
            explanation="the control's output does not have the shape of its input",
        )
    entries = [_effect_entry(check, effect) for effect in effects]
    explaining = (entry for entry in entries if control_explains(record, entry))
    departing = (entry for entry in entries if entry.judged is not Verdict.PASS)
    return next(explaining, next(departing, entries[0]))


def _effect_entry(check: Check, effect: Outcome) -> ControlEntry:
    judgement, happened = judge(check.steps, effect), _happened(effect)
    return ControlEntry(
        outcome=effect.tag,
        judged=judgement.verdict,
        cause=judgement.cause,
        explanation=judgement.explanation[:MESSAGE_CHARACTERS],
        **{name: happened[name] for name in _OF_CONTROLS if name in happened},
    )


def with_control(check: Check, record: CheckRecord, control: ControlEntry) -> CheckRecord:
    """Adds the entry of a control to the record of a check.

    If it explains the record, and the call without a neighbour is right, the verdict is NEIGHBOUR and no deviation
    applies.
    """
    if not (control_explains(record, control) and is_right(plain_of(check), control.plain)):
        return replace(record, control=control)
    return replace(record, control=control, verdict=Verdict.NEIGHBOUR, deviation="", looks_like="")


def not_run_record(check: Check, target: str, reason: str) -> CheckRecord:
    """The record of a check that did not run because the run ended first."""
    return CheckRecord(
        target=target,
        case=check.case.id,
        form=check.form,
        verdict=Verdict.NOT_RUN,
        judged=Verdict.NOT_RUN,
        clauses=list(check.case.clauses),
        outcome="not run",
        dtype=check.case.data.dtype if check.case.data is not None else "",
        explanation=shortened(reason),
    )


def shortened(message: str) -> str:
    """A message of at most MESSAGE_CHARACTERS. Cuts the middle: frameworks often say at the end what is wrong."""
    if len(message) <= MESSAGE_CHARACTERS:
        return message
    end = MESSAGE_CHARACTERS // 2
    return f"{message[: MESSAGE_CHARACTERS - end - len(_CUT)]}{_CUT}{message[-end:]}"


def call_entry(check: Check) -> CallEntry:
    """The call as the adapter got it."""
    request = check.request
    inputs = [
        InputEntry(
            name=item.name,
            dtype=item.dtype,
            dims=None if item.dims is None else list(item.dims),
            constant=item.constant is not None,
            values=[
                tensor_entry(tensor)
                for tensor in ([item.constant] if item.constant is not None else [r[item.name] for r in request.runs])
            ],
        )
        for item in request.call.inputs
    ]
    own = {name: getattr(request.call, name) for name in _OF_CALLS}
    attributes, signature = dict(request.call.attributes), list(request.call.signature)
    return CallEntry(attributes=attributes, inputs=inputs, signature=signature, **own)


def _happened(outcome: Outcome) -> dict[str, Any]:
    """The fields of a record that depend on the outcome."""
    said: dict[str, Any] = said_of(outcome)
    said |= {name: list(value) for name, value in said.items() if isinstance(value, tuple)}
    if "message" in said:
        said["message"] = shortened(said["message"])
    return {**said, "outputs": outputs_digest(outcome.runs)} if isinstance(outcome, Produced) else said


def _inferred(outcome: Outcome) -> list[list[int | None] | None] | None:
    if not isinstance(outcome, Produced) or outcome.inferred is None:
        return None
    return [None if shape is None else list(shape) for shape in outcome.inferred]


def _difference(acceptance: Acceptance, difference: Difference) -> DifferenceEntry:
    expected, actual, differing, first = difference.expected, difference.actual, 0, 0
    if difference.mismatch is Mismatch.BITS and expected is not None and actual is not None:
        indices = acceptance.unlike(expected, actual)
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


# Builds the records of timed cases from measurements.

_REASON_CHARACTERS = 400


def untimed_record(check: Check, target: str, outcome: Outcome) -> TimingRecord:
    """The record of a check before it is timed; unless it passes, with the reason why it is not timed."""
    judgement = judge(check.steps, outcome)
    record = _facts(check, target)
    if not judgement.verdict.is_conforming or not isinstance(outcome, Produced):
        return without_time(record, f"{judgement.verdict.value}: {judgement.cause or judgement.explanation}")
    provenance = outcome.provenance
    return replace(
        record,
        is_view=provenance.aliases_input,
        lowered=provenance.lowered,
        ran_on=provenance.ran_on[:_REASON_CHARACTERS],
    )


def unrun_record(check: Check, target: str, reason: str) -> TimingRecord:
    """The record of a check that could not run at all."""
    return without_time(_facts(check, target), reason)


def without_time(record: TimingRecord, reason: str) -> TimingRecord:
    """The record with the reason why it has no time."""
    return replace(record, reason=" ".join(reason.split())[:_REASON_CHARACTERS])


def with_times(record: TimingRecord, rounds: Sequence[Measurement], confidence_percent: int) -> TimingRecord:
    """The record with the measurements of all rounds."""
    last = rounds[-1]
    return replace(
        record,
        prepare_ns=[measured.prepare_ns for measured in rounds],
        first_run_ns=[measured.first_run_ns for measured in rounds],
        run=time_entry([measured.run for measured in rounds], confidence_percent),
        copy=time_entry([measured.copy for measured in rounds], confidence_percent),
        is_framework_alone=last.is_framework_alone,
        threads=last.threads,
        affinity=list(last.affinity),
    )


def time_entry(rounds: Sequence[Samples], confidence_percent: int) -> TimeEntry:
    """The median over all samples of all rounds, with its interval."""
    by_round = [samples.call_ns for samples in rounds]
    ordered = sorted(chain.from_iterable(by_round))
    interval = interval_over_rounds(by_round, confidence_percent)
    return TimeEntry(
        median_ns=_rounded(median(ordered)),
        low_ns=None if interval is None else _rounded(interval.low),
        high_ns=None if interval is None else _rounded(interval.high),
        fastest_ns=_rounded(ordered[0]),
        slowest_ns=_rounded(ordered[-1]),
        samples=len(ordered),
        loops=[samples.loops for samples in rounds],
        rounds_ns=[_rounded(median(values)) for values in by_round],
        busy_cores=round(mean(samples.busy_cores for samples in rounds), 2),
    )


def _facts(check: Check, target: str) -> TimingRecord:
    case, data = check.case, check.case.data
    record = TimingRecord(
        target=target, case=case.id, form=check.form, axis=case.split_dim, parts=case.declared_outputs
    )
    if data is None:
        return record
    tensor_bytes = -(-math.prod(data.shape) * DTYPES[data.dtype].bits // 8)
    return replace(record, dtype=data.dtype, shape=list(data.shape), nbytes=tensor_bytes)


def _rounded(nanoseconds: float) -> float:
    """Rounds to a tenth of a nanosecond, finer than any clock."""
    return round(nanoseconds, 1)
