"""Takes answers of earlier runs over from a history, and has only the other checks asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from conformance.history.kept_records import RecordKey, state_of
from conformance.history.store import HistoryStore, opened_store
from conformance.language.check import Check
from conformance.log.record import CheckRecord, SuiteEntry, TargetEntry

Ask = Callable[[Iterable[Check]], Iterator[CheckRecord]]
"""The records of checks that a target is asked, in order."""


class EarlierAnswers:
    """The answers that a target gave in earlier runs, in the history in a file.

    Args:
        path: of the history.
        suite: of this run.
        target: as it started in this run.
        timeout_s: the time limit of a check in this run.
    """

    def __init__(self, path: Path, suite: SuiteEntry, target: TargetEntry, timeout_s: float) -> None:
        self._path = path
        self._suite, self._target, self._timeout_s = suite, target, timeout_s
        self._operator = ""
        self._of_operator: dict[RecordKey, CheckRecord] = {}

    def completed(self, checks: Iterable[Check], ask: Ask) -> Iterator[CheckRecord]:
        """The record of each check, in order: an earlier one, or that of the target, which is asked for the others.

        It ends early if the target's records do.
        """
        all_checks = list(checks)
        earlier = [self._record_of(check) for check in all_checks]
        asked = ask(check for check, known in zip(all_checks, earlier, strict=True) if known is None)
        for known in earlier:
            record = known or next(asked, None)
            if record is None:
                return
            yield record

    def _record_of(self, check: Check) -> CheckRecord | None:
        operator = check.case.operator.id
        if operator != self._operator:
            with opened_store(self._path) as store:
                self._operator, self._of_operator = operator, self._records_in(store, operator)
        record = self._of_operator.get((check.case.id, check.form))
        return None if record is None else replace(record, target=self._target.name)

    def _records_in(self, store: HistoryStore, operator: str) -> dict[RecordKey, CheckRecord]:
        state = state_of(self._suite, self._target, operator.rpartition("-")[0], self._timeout_s)
        return store.earlier_records(self._target, operator, state)
