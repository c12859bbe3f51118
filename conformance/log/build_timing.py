"""Builds the records of timed cases from measurements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from statistics import mean, median

from conformance.border.measurement import Measurement, Samples
from conformance.border.median import interval_over_rounds
from conformance.border.outcome import Outcome, Produced
from conformance.judging.judge import judge
from conformance.language.check import Check
from conformance.log.record import TimeEntry, TimingRecord
from conformance.values.dtypes import DTYPES

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
