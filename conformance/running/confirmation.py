"""Repeats a deviating check in a fresh process before it is reported.

An earlier check may have damaged the process in which the deviation appeared. If both processes answer alike, the
record stands. If not, the verdict is *unstable*, with both answers.

A costly rejection is repeated twice in one fresh process, and the second answer counts: what a framework sets up on
first use is not a cost of the rejection.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from conformance.border.outcome import Outcome, RejectedOutcome, Unstable
from conformance.language.check import Check
from conformance.language.verdict import Section, Severity
from conformance.log.record import CheckRecord

_ENOUGH = 2
"""After so many confirmed deviations of one kind, further ones of that kind are not repeated."""
_AT_MOST = 256
"""Limit of repeated checks for one target, so that a framework that fails everything does not run everything twice."""


class Confirmation:
    """Confirms the deviations of one target, in the order in which they come.

    Args:
        run: runs a check a number of times in a fresh process, and nothing else there; returns the last outcome.
        record: the record of a check with an outcome.
    """

    def __init__(self, run: Callable[[Check, int], Outcome], record: Callable[[Check, Outcome], CheckRecord]) -> None:
        self._run = run
        self._record = record
        self._confirmed: Counter[tuple[str, ...]] = Counter()
        self._num_repeated = 0

    def confirmed(self, check: Check, record: CheckRecord, before: tuple[str, ...]) -> CheckRecord:
        """The final record of a check, after repeating it in a fresh process if that is due.

        `before` names the checks that ran before it in the same process.

        Raises:
            StoppedError: the run was asked to stop.
        """
        # A report groups deviations of one kind together.
        kind = record.verdict.value, record.cause, check.case.operator.id, check.form.value
        is_about_cost = record.verdict.meaning.severity is Severity.COST
        if not record.verdict.meaning.is_retried or record.death or not (before or is_about_cost):
            return record  # a process that died had answered nothing before
        if before and (self._confirmed[kind] >= _ENOUGH or self._num_repeated >= _AT_MOST):
            return record
        self._num_repeated += 1
        outcome = self._run(check, 2 if is_about_cost else 1)
        fresh = self._record(check, outcome)
        if fresh.verdict.meaning.section is Section.NOT_JUDGED:
            return fresh  # no second answer, and so no difference between two
        if fresh.judged is record.judged:
            self._confirmed[kind] += 1
            return fresh if is_about_cost else record
        if is_about_cost and isinstance(outcome, RejectedOutcome):
            return fresh  # only the first rejection was costly
        if (record.verdict.meaning.section, fresh.verdict.meaning.section) == (Section.FIXED, Section.KNOWN):
            return fresh  # the recorded deviation still happens
        both = Unstable(first=_said(record), alone=_said(fresh), suspects=before)
        return self._record(check, both)


def _said(record: CheckRecord) -> str:
    return f"{record.judged.value}: {record.cause}" if record.cause else record.judged.value
