"""What runs again before a deviation or a rejection is reported: the check itself, its control, and its twin.

`Confirmation` repeats a deviating check in a fresh process: an earlier check may have damaged the process in which the
deviation appeared. If both processes answer alike, the record stands. If not, the verdict is *unstable*, with both
answers. A costly rejection is repeated twice in one fresh process, and the second answer counts: what a framework sets
up on first use is not a cost of the rejection.

`attributed` runs the control of a deviating check and records whether the fault is the operator's or a neighbour's. A
control that explains the fault excuses it only if the call conforms without the neighbour, which is also checked.

`Twins` asks for the twins of rejected calls, each once in a form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace

from conformance.judge.controls import TwinAnswer, control_explains, gist, needs_twin
from conformance.log.build_record import control_entry, record_of, with_control
from conformance.log.record import CheckRecord
from conformance.protocol.form import Form
from conformance.protocol.outcome import Killed, NotExpressibleOutcome, Outcome, Produced, RejectedOutcome, Unstable
from conformance.spec.case import Argument, Case
from conformance.spec.check import Check
from conformance.spec.control import plain_of
from conformance.spec.twin import changes_of, twin_of
from conformance.spec.verdict import Section, Severity
from conformance.tensors.tensor import outputs_digest

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


def attributed(
    check: Check, record: CheckRecord, run: Callable[[Check], Outcome], forms: Collection[str]
) -> CheckRecord:
    """The record of a check, with that of its control if it has one.

    `run` runs a check on the target; if its worker was killed, the check is not judged. `forms` are those for which the
    adapter takes controls.

    Raises:
        StoppedError: the run was asked to stop.
    """
    if not record.judged.meaning.may_be_neighbours or check.form.value not in forms:
        return record
    control = run(replace(check, is_control=True))
    if isinstance(control, Killed):
        return record_of(check, record.target, control, ())
    if isinstance(control, NotExpressibleOutcome):
        return record
    entry = control_entry(check, record, control)
    if control_explains(record, entry):
        plain = run(plain_of(check))
        if isinstance(plain, Killed):
            return record_of(check, record.target, plain, ())
        entry = replace(entry, plain=outputs_digest(plain.runs) if isinstance(plain, Produced) else "")
    return with_control(check, record, entry)


TwinCall = tuple[str, tuple[Argument, ...], int, Form]
"""What decides the answer to a twin; several cases may share one."""


class Twins:
    """The answers of one target to the twins of its rejected calls.

    Args:
        run: runs a check on the target.
    """

    def __init__(self, run: Callable[[Check], Outcome]) -> None:
        self._run = run
        self._known: dict[TwinCall, TwinAnswer] = {}

    def answer(self, check: Check, outcome: Outcome) -> TwinAnswer | None:
        """The answer to the twin of a rejected call; None if its judgement needs none.

        Raises:
            StoppedError: the run was asked to stop.
        """
        if not needs_twin(check.steps, outcome):
            return None
        twin = twin_of(check.case)
        if twin is None:
            return TwinAnswer()
        asked = twin_call(twin, check.form)
        if asked not in self._known:
            self._known[asked] = _answer(self._run(Check(twin, check.form)))
        return replace(self._known[asked], arguments=changes_of(check.case, twin))


def twin_call(twin: Case, form: Form) -> TwinCall:
    """The call of a twin in a form."""
    return twin.operator.id, twin.arguments, twin.declared_outputs, form


def _answer(outcome: Outcome) -> TwinAnswer:
    """The outcome of a twin as a record keeps it, but for the arguments."""
    if not isinstance(outcome, RejectedOutcome):
        return TwinAnswer(outcome=outcome.tag)
    return TwinAnswer(outcome=outcome.tag, stage=outcome.stage, message=gist(outcome.message))
