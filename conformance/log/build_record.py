"""Judges outcomes and builds records, which hold all that a reader without the suite needs; and judges them again."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum
from itertools import chain
from statistics import mean, median
from typing import Any

from pydantic import TypeAdapter

from conformance.judge.controls import TwinAnswer, control_explains, needs_twin
from conformance.judge.deviation import Departure, Deviation, resembling, standing
from conformance.judge.judge import (
    Acceptance,
    Difference,
    Mismatch,
    acceptance_of,
    is_right,
    judge,
    verdict_of_wrong_outputs,
)
from conformance.log.record import (
    STRING_BYTES,
    CallEntry,
    CheckRecord,
    ControlEntry,
    DifferenceEntry,
    InputEntry,
    TensorEntry,
    TimeEntry,
    TimingRecord,
    recorded_elements,
    recorded_window,
    tensor_entry,
)
from conformance.protocol.outcome import (
    ANSWER_BYTES,
    Measurement,
    Outcome,
    Produced,
    RejectedOutcome,
    Samples,
    interval_over_rounds,
    outcome_of,
    said_of,
)
from conformance.spec.case import Runs, due_runs
from conformance.spec.check import Check
from conformance.spec.control import changes_of, control_of, effects_of, plain_of, twin_of
from conformance.spec.verdict import Verdict
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.tensor import KnownShape, Tensor, element_count, outputs_digest, unpack_strings

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


# Judges a recorded check again: rebuilds the outcome from its record and judges it against the suite's oracles. A
# record holds the digest of all outputs and, for each output that differs, its elements: all of them up to some
# hundred, else a slice. The outputs of most checks are therefore known bit by bit, and their record can be built
# again. For the others, the digest shows whether the outputs are correct.

_FIELDS = tuple(item.name for item in fields(CheckRecord))
_JSON = TypeAdapter(CheckRecord)


class Basis(Enum):
    """The evidence from which a verdict was judged again."""

    WHOLE = "all that was recorded"
    DIGEST = "the digest of the outputs alone"


@dataclass(frozen=True, slots=True)
class Recomputed:
    """The problems of a record, one sentence each, and the evidence from which it was judged again."""

    problems: tuple[str, ...]
    basis: Basis = Basis.WHOLE


def recompute(
    check: Check,
    record: CheckRecord,
    deviations: Sequence[Deviation],
    *,
    timeout_s: float = math.inf,
) -> Recomputed:
    """Judge a record again.

    Args:
        check: the check of the record.
        record: the line of the log.
        deviations: of its target.
        timeout_s: the time limit of a check in the run.
    """
    problems = tuple(_control_problems(check, record))
    if problems:
        return Recomputed(problems)
    try:
        outcome = _outcome(check, record, timeout_s)
    except _NotPossibleError as error:
        return Recomputed((str(error),))
    if outcome is None and not acceptance_of(check.case).digest_decides:
        return Recomputed(("the log does not hold the outputs, and their digest does not decide",), Basis.DIGEST)
    if outcome is None:
        return Recomputed(tuple(_problems_by_digest(check, record, deviations)), Basis.DIGEST)
    if problem := _twin_problem(check, record, outcome):
        return Recomputed((problem,))
    made = record_of(check, record.target, outcome, deviations, record.twin)
    if record.control is not None:
        made = with_control(check, made, record.control)
    return Recomputed(tuple(_unlike(record, made)))


class _NotPossibleError(Exception):
    """No run can have written the record; the message says why."""


def _control_problems(check: Check, record: CheckRecord) -> Iterator[str]:
    """Contradictions between a record and its control; the control's own outcome cannot be verified."""
    control = record.control
    if control is None:
        return
    if control_of(check) is None:
        yield "it has a control, but a call without a neighbour, or one that must be rejected, has none"
    elif not record.judged.meaning.may_be_neighbours:
        yield f"it has a control, and what is judged {record.judged.value!r} needs none"
    gave = (control.outcome, control.outputs, control.changed_inputs)
    is_alike = record.inferred is None and gave == (record.outcome, record.outputs, record.changed_inputs)
    if record.outputs and is_alike and (control.judged, control.cause) != (record.judged, record.cause):
        yield "its control gave the same outputs, and is judged otherwise"


def _twin_problem(check: Check, record: CheckRecord, outcome: Outcome) -> str:
    """What is wrong with the twin of a record, whose own outcome cannot be verified; empty if nothing is."""
    if not needs_twin(check.steps, outcome):
        return "" if record.twin is None else "it has a twin, and its judgement needs none"
    if record.twin is None:
        return "a rejection is judged by the answer to the valid call nearest to it, and it has none"
    twin = twin_of(check.case)
    due = "" if twin is None else changes_of(check.case, twin)
    if record.twin.arguments != due:
        return f"its twin is the call with {_shown(record.twin.arguments)}, and that of the suite has {_shown(due)}"
    return ""


def _unlike(record: CheckRecord, made: CheckRecord) -> Iterator[str]:
    """The fields that differ from the derived record."""
    names = [name for name in _FIELDS if getattr(record, name) != getattr(made, name)]
    if not names:
        return
    recorded, followed = (_JSON.dump_python(item, mode="json") for item in (record, made))
    for name in names:
        if recorded[name] != followed[name]:
            yield f"{name} is {_shown(recorded[name])} in the log, but {_shown(followed[name])} when computed again"


def _outcome(check: Check, record: CheckRecord, timeout_s: float) -> Outcome | None:
    """The outcome that the record describes; None if its outputs cannot be rebuilt from it.

    Raises:
        _NotPossibleError: the record contradicts itself.
    """
    said: dict[str, Any] = {item.name: getattr(record, item.name) for item in fields(record)}
    said |= {name: tuple(value) for name, value in said.items() if isinstance(value, list)}
    match record.outcome:
        case "produced":
            runs = _runs(check, record)
            return (
                None if runs is None else outcome_of(record.outcome, said, runs=runs, inferred=_inferred_shapes(record))
            )
        case "rejected":
            _require_no_outputs(record)
            if record.answered >= (steps := len(check.steps)):
                raise _NotPossibleError(
                    f"{record.answered} of {steps} calls were answered, which leaves none to reject"
                )
        case "timed out":
            _require_limit(record, timeout_s)
        case "killed" | "failed" | "not run":
            raise _NotPossibleError(f"{_shown(record.outcome)} is not an outcome that a certificate can have")
        case _:
            pass
    return outcome_of(record.outcome, said)


def _inferred_shapes(record: CheckRecord) -> tuple[KnownShape, ...] | None:
    if record.inferred is None:
        return None
    return tuple(None if shape is None else tuple(shape) for shape in record.inferred)


def _runs(check: Check, record: CheckRecord) -> Runs | None:
    """The outputs; None if the record does not hold enough of them.

    If the expected outputs of an interpretation have the recorded digest, they are the outputs. Otherwise the recorded
    differences are applied to the expected outputs of the interpretation that was followed, or else of the first one.

    Raises:
        _NotPossibleError: the result does not have the recorded digest.
    """
    candidates, acceptance = due_runs(check.steps), acceptance_of(check.case)
    for runs in candidates.values():
        if acceptance.accepts_digest(runs, record.outputs):
            return runs
    if not candidates or not record.differences:
        return None
    patched = _patched(candidates.get(record.interpretation, next(iter(candidates.values()))), record.differences)
    if patched is None:
        return None
    if outputs_digest(patched) != record.outputs:
        raise _NotPossibleError("the digest is neither that of the expected outputs nor that of the recorded ones")
    return patched


def _patched(runs: Runs, differences: Sequence[DifferenceEntry]) -> Runs | None:
    """The runs with the recorded differences applied; None if a differing output is not recorded completely."""
    outputs = [dict(enumerate(run)) for run in runs]
    for difference in differences:
        if not 0 <= difference.run < len(outputs):
            raise _NotPossibleError(f"a difference is of call {difference.run + 1}, but there are {len(outputs)} calls")
        run = outputs[difference.run]
        if difference.actual is None:
            run.pop(difference.output, None)
            continue
        tensor = _tensor(difference.actual)
        if tensor is None:
            return None
        run[difference.output] = tensor
    if any(sorted(run) != list(range(len(run))) for run in outputs):
        raise _NotPossibleError("the outputs that are recorded leave a gap")
    return tuple(tuple(run[number] for number in range(len(run))) for run in outputs)


def _tensor(entry: TensorEntry) -> Tensor | None:
    """The tensor of an entry; None if the entry does not hold all of it.

    Raises:
        _NotPossibleError: the entry is not a tensor, or its bytes do not match type and shape.
    """
    if entry.dtype not in DTYPES or len(entry.shape) > 64:
        raise _NotPossibleError(f"{_shown(entry.dtype)} with the shape {_shown(entry.shape)} is not a tensor")
    tensor = Tensor(entry.dtype, tuple(entry.shape), b"")
    if entry.start != 0 or entry.count != tensor.size:
        return None
    try:
        data = bytes(recorded_elements(entry).data)
    except ValueError:
        raise _NotPossibleError("recorded elements are not base64") from None
    tensor = Tensor(entry.dtype, tuple(entry.shape), data)
    if tensor.element_type.itemsize == 0:
        try:
            longest = max((len(text) for text in unpack_strings(tensor)), default=0)
        except ValueError as error:
            raise _NotPossibleError(str(error)) from None
        return None if longest >= STRING_BYTES else tensor
    if len(data) != tensor.size * tensor.element_type.itemsize:
        raise _NotPossibleError(f"{len(data)} bytes do not fill {tensor.dtype}{list(tensor.shape)}")
    return tensor


def _problems_by_digest(check: Check, record: CheckRecord, deviations: Sequence[Deviation]) -> Iterator[str]:
    """Problems of a record without all outputs: its digest is not the correct one, which determines the verdict."""
    candidates = due_runs(check.steps)
    yield from _window_problems(record, next(iter(candidates.values()), ()))
    if record.judged is not verdict_of_wrong_outputs(check.case) or not record.differences:
        yield f"judged is {record.judged.value!r}, but the digest is not that of the expected outputs"
    departure = Departure(verdict=record.judged, outputs=record.outputs)
    verdict, deviation = standing(deviations, check, departure)
    needs_details = verdict.is_difference
    made = replace(
        record,
        place=None,
        verdict=verdict,
        clauses=list(check.case.clauses),
        dtype=check.case.data.dtype if check.case.data is not None else "",
        interpretation="",
        deviation=deviation.id if deviation is not None else "",
        looks_like=resembling(deviations, check, departure) if deviation is None else "",
        stage=None,
        message="",
        death="",
        limit_s=None,
        first="",
        alone="",
        suspects=[],
        answered=0,
        cpu_ns=None,
        peak_bytes=None,
        stderr="",
        where=check.case.where if needs_details else "",
        call=call_entry(check) if needs_details else None,
    )
    yield from _unlike(record, made if record.control is None else with_control(check, made, record.control))


def _window_problems(record: CheckRecord, expected: Runs) -> Iterator[str]:
    """Recorded slices of large outputs that no run can have written."""
    for difference in record.differences:
        run = expected[difference.run] if difference.run < len(expected) else ()
        due = run[difference.output] if difference.output < len(run) else None
        name = f"output {difference.output} of call {difference.run + 1}"
        if difference.expected != (None if due is None else tensor_entry(due, difference.first)):
            yield f"{name}: the expected elements in the log are not those of the page"
        actual = difference.actual
        if actual is None or ((actual.start, actual.count) == (0, 0) and _is_too_large(record)):
            continue
        if (actual.start, actual.count) != recorded_window(actual.shape, difference.first):
            yield f"{name}: the log has {actual.count} elements from {actual.start} on, and a run records others"


def _is_too_large(record: CheckRecord) -> bool:
    """Whether an answer with the outputs that differ could not be read, for all that their types and shapes say."""
    entries = [difference.actual for difference in record.differences if difference.actual is not None]
    kinds = [DTYPES[entry.dtype] for entry in entries if entry.dtype in DTYPES]
    sizes = [element_count(entry.shape) * kind.itemsize for entry, kind in zip(entries, kinds, strict=False)]
    return any(kind.itemsize == 0 for kind in kinds) or sum(sizes) > ANSWER_BYTES


def _require_no_outputs(record: CheckRecord) -> None:
    if record.outputs or record.differences:
        raise _NotPossibleError("the call was rejected, and has outputs")


def _require_limit(record: CheckRecord, timeout_s: float) -> None:
    """Check that the time limit of the record does not exceed that of the run."""
    if record.limit_s is None or not 0 < record.limit_s <= timeout_s:
        raise _NotPossibleError(f"it took {_shown(record.limit_s)} s, and the run gave {timeout_s:g}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
