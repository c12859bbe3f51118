"""Takes answers of earlier runs over from a history, and has only the other checks asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from conformance.border.description import Description
from conformance.border.outcome import NotDeclaredOutcome
from conformance.history.kept_records import RecordKey, state_of
from conformance.history.store import HistoryStore, opened_store
from conformance.language.check import Check
from conformance.language.control import plain_of
from conformance.language.verdict import Verdict
from conformance.log.recompute import recompute
from conformance.log.record import CheckRecord, SuiteEntry
from conformance.running.target import StartedTarget
from conformance.sessions.dispatch import declined_by

Ask = Callable[[Iterable[Check]], Iterator[CheckRecord]]
"""The records of checks that a target is asked, in order."""


class EarlierAnswers:
    """The answers that a target gave in earlier runs, in the history in a file.

    An answer is judged again before it is taken over. Of each operator version, the first one with outputs is asked
    again before any is taken over: if the target now answers otherwise, none of that operator version is.

    Args:
        path: of the history.
        suite: of this run.
        target: as it started in this run.
        description: what its adapter declares.
        timeout_s: the time limit of a check in this run.
    """

    def __init__(
        self, path: Path, suite: SuiteEntry, target: StartedTarget, description: Description, timeout_s: float
    ) -> None:
        self._path = path
        self._suite, self._target, self._description, self._timeout_s = suite, target, description, timeout_s
        self._operator = ""
        self._of_operator: dict[RecordKey, CheckRecord] = {}
        self._stands: dict[str, bool] = {}
        """By operator version: whether the target gave the answer again that it was asked for again."""

    def completed(self, checks: Iterable[Check], ask: Ask) -> Iterator[CheckRecord]:
        """The record of each check, in order: an earlier one, or that of the target, which is asked for the others.

        It ends early if the target's records do.
        """
        all_checks = list(checks)
        earlier = [self._record_of(check) for check in all_checks]
        again = dict(self._asked_again(all_checks, earlier, ask))
        known = [
            again.get(number, record if self._stands.get(check.case.operator.id) else None)
            for number, (check, record) in enumerate(zip(all_checks, earlier, strict=True))
        ]
        asked = ask(check for check, record in zip(all_checks, known, strict=True) if record is None)
        for given in known:
            record = given or next(asked, None)
            if record is None:
                return
            yield record

    def _record_of(self, check: Check) -> CheckRecord | None:
        operator = check.case.operator.id
        if operator != self._operator:
            with opened_store(self._path) as store:
                self._operator, self._of_operator = operator, self._records_in(store, operator)
        found = self._of_operator.get((check.case.id, check.form))
        record = None if found is None else replace(found, target=self._target.entry.name)
        return record if record is not None and self._holds(check, record) else None

    def _asked_again(
        self, checks: Sequence[Check], earlier: Sequence[CheckRecord | None], ask: Ask
    ) -> Iterator[tuple[int, CheckRecord]]:
        """The number and the record of the check of each operator version that is asked again."""
        for number, (check, before) in enumerate(zip(checks, earlier, strict=True)):
            operator = check.case.operator.id
            if before is not None and before.outputs and operator not in self._stands:
                record = next(ask([check]), None)
                self._stands[operator] = record is not None and _answer(record) == _answer(before)
                if record is not None:
                    yield number, record

    def _holds(self, check: Check, record: CheckRecord) -> bool:
        """Whether the record is of an answer, and says what its judgement gives now."""
        if record.outcome == NotDeclaredOutcome.tag or declined_by(self._description, check) is not None:
            return False
        if record.control and record.control.plain and declined_by(self._description, plain_of(check)) is not None:
            return False
        as_asked = replace(record, reused="", reused_from="")
        return not recompute(check, as_asked, self._target.deviations, timeout_s=self._timeout_s).problems

    def _records_in(self, store: HistoryStore, operator: str) -> dict[RecordKey, CheckRecord]:
        entry = self._target.entry
        state = state_of(self._suite, entry, operator.rpartition("-")[0], self._timeout_s)
        return store.earlier_records(entry, operator, state)


def _answer(record: CheckRecord) -> tuple[str, str, Verdict]:
    return record.outcome, record.outputs, record.judged
