"""Asks a difference again in a fresh process before it is said.

An earlier check may have damaged the process in which it was seen. What that one and a fresh one answer alike stands as
it is. Where they differ, neither is taken silently: the verdict is *unstable*, with both.

A refusal that took too much is asked again twice in one process, of which the second stands: what a framework sets up
when it is used for the first time is no cost of a refusal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from conformance.judging.deviation import Deviation
from conformance.records.build_record import record_of
from conformance.records.record import CheckRecord
from conformance.selection.selection import Check
from conformance.spec.outcome import Outcome, RejectedOutcome, Unstable
from conformance.spec.verdict import Verdict

_ENOUGH = 2
"""Differences of one kind that a fresh process shows alike before those after them stand unasked."""
_AT_MOST = 256
"""Differences of one target that are asked again: a backend that fails on everything is not asked everything twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A check with its record, and the checks that its process had answered before."""

    check: Check
    record: CheckRecord
    before: tuple[str, ...] = ()


class Confirmation:
    """Confirms the differences of one target, in the order in which they come.

    Args:
        ask: what the target does with a check that a fresh process is asked so many times, and nothing else.
        deviations: those that speak of the target.
    """

    def __init__(self, ask: Callable[[Check, int], Outcome], deviations: Sequence[Deviation]) -> None:
        self._ask = ask
        self._deviations = deviations
        self._confirmed: Counter[tuple[str, ...]] = Counter()
        self._num_asked = 0

    def confirmed(self, judged: Judged) -> CheckRecord:
        """The record that stands for a check, once a fresh process was asked where that is due.

        Raises:
            StoppedError: the run was told to end.
        """
        record, kind = judged.record, _kind(judged)
        is_about_cost = record.verdict is Verdict.COSTLY_REFUSAL
        if not record.verdict.meaning.is_asked_again or not (judged.before or is_about_cost):
            return record
        if judged.before and (self._confirmed[kind] >= _ENOUGH or self._num_asked >= _AT_MOST):
            return record
        self._num_asked += 1
        outcome = self._ask(judged.check, 2 if is_about_cost else 1)
        fresh = record_of(judged.check, record.target, outcome, self._deviations)
        if fresh.judged is record.judged:
            self._confirmed[kind] += 1
            return fresh if is_about_cost else record
        if is_about_cost and isinstance(outcome, RejectedOutcome):
            return fresh  # it took as much only the first time
        if record.verdict is Verdict.FIXED and fresh.verdict is Verdict.KNOWN:
            return fresh  # what is recorded still happens
        both = Unstable(first=_said(record), alone=_said(fresh), suspects=judged.before)
        return record_of(judged.check, record.target, both, self._deviations)


def _kind(judged: Judged) -> tuple[str, ...]:
    """What the differences have in common that a report shows as one."""
    record, check = judged.record, judged.check
    return record.verdict.value, record.cause, check.case.operator.id, check.form.value


def _said(record: CheckRecord) -> str:
    return f"{record.judged.value}: {record.cause}" if record.cause else record.judged.value
