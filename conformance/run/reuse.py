"""Takes answers of earlier runs over from a history, and has only the other checks asked."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from conformance.log.build_record import recompute
from conformance.log.history import HistoryStore, RecordKey, opened_store, state_of
from conformance.log.log_file import RunLogWriter, read_header, read_lines, records_of, replacing, whole_lines_size
from conformance.log.record import CheckRecord, Footer, Header, SuiteEntry, TimingRecord
from conformance.protocol.outcome import Description, NotDeclaredOutcome
from conformance.run.dispatch import declined_by
from conformance.run.execution import RunTarget
from conformance.run.run_plan import RunPlan, RunRequest
from conformance.run.target_runner import StartedTarget
from conformance.spec.check import Check
from conformance.spec.control import plain_of
from conformance.spec.verdict import Verdict
from conformance.tensors.errors import RunLogError

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
        self._is_repeated: dict[str, bool] = {}
        """By operator version: whether the target repeated the answer that was asked again."""

    def completed(self, checks: Iterable[Check], ask: Ask) -> Iterator[CheckRecord]:
        """The record of each check, in order: an earlier one, or that of the target, which is asked for the others.

        It ends early if the target's records do.
        """
        all_checks = list(checks)
        earlier = [self._record_of(check) for check in all_checks]
        again = dict(self._records_asked_again(all_checks, earlier, ask))
        known = [
            again.get(number, record if self._is_repeated.get(check.case.operator.id) else None)
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
        return record if record is not None and self._is_reusable(check, record) else None

    def _records_asked_again(
        self, checks: Sequence[Check], earlier: Sequence[CheckRecord | None], ask: Ask
    ) -> Iterator[tuple[int, CheckRecord]]:
        """The number and the record of the check of each operator version that is asked again."""
        for number, (check, before) in enumerate(zip(checks, earlier, strict=True)):
            operator = check.case.operator.id
            if before is not None and before.outputs and operator not in self._is_repeated:
                record = next(ask([check]), None)
                self._is_repeated[operator] = record is not None and _answer(record) == _answer(before)
                if record is not None:
                    yield number, record

    def _is_reusable(self, check: Check, record: CheckRecord) -> bool:
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


# Continues the log of an earlier run: what it has, and what is asked again.
#
# A check that was *not run* has no answer. It is asked again, with those of its target that follow it.


def resumed(
    request: RunRequest, header: Header, plan: RunPlan, targets: Sequence[RunTarget]
) -> dict[str, Counter[str]]:
    """The number of records that stay in the log by target and verdict; the targets continue after theirs.

    Cuts off an unfinished line.

    Raises:
        RunLogError: the log is complete, or belongs to another suite, selection or set of targets.
    """
    before = read_header(request.log)
    _require_same_run(request, before, header)
    if any(not record.verdict.meaning.was_asked for record in records_of(request.log)):
        _drop_unrun(request.log, replace(before, targets=header.targets, deviations=header.deviations))
    counts: dict[str, Counter[str]] = {}
    last: dict[str, CheckRecord] = {}
    for line in read_lines(request.log):
        if isinstance(line, Footer) and line.complete:
            raise RunLogError(str(request.log), "is complete already", fix="`--rerun failed` asks what failed again")
        if isinstance(line, CheckRecord):
            counts.setdefault(line.target, Counter())[line.verdict.value] += 1
            last[line.target] = line
    for target in targets:
        target.done = counts.get(target.entry.name, Counter[str]()).total()
        _require_same_checks(plan, target, last.get(target.entry.name))
    os.truncate(request.log, whole_lines_size(request.log))
    return counts


def _require_same_run(request: RunRequest, before: Header, header: Header) -> None:
    """Check that the log was made by the same command on the same suite; a target that did not start then may now."""
    unstarted = {entry.name for entry in before.targets if entry.problem}
    pairs = zip(request.targets, header.targets, strict=True)
    names = [asked if (asked := item.name_at(item.version or "unknown")) in unstarted else t.name for item, t in pairs]
    deviations = [item for item in header.deviations if item.target in {entry.name for entry in before.targets}]
    for what, old, new in (
        ("another version of opconform", before.suite.version, header.suite.version),
        ("other case files", before.suite.digest, header.suite.digest),
        ("another selection", before.selection, header.selection),
        ("other targets", [t.name for t in before.targets], names),
        ("other deviations", before.deviations, [item for item in deviations if item.target not in unstarted]),
        ("another number of checks", before.planned, header.planned),
        ("another --timing", before.timing, header.timing),
    ):
        if old != new:
            raise RunLogError(str(request.log), f"was made with {what}: {old!r}, not {new!r}", fix="start a new log")


def _drop_unrun(log: Path, header: Header) -> None:
    """Replace a log by one that ends, for each target, before its first check that was not run."""
    ended = set[str]()
    with replacing(log) as path, path.open("wb", buffering=0) as stream:
        kept = RunLogWriter(stream, {})
        kept.header(header)
        for line in read_lines(log):
            match line:
                case CheckRecord() if line.target not in ended and line.verdict.meaning.was_asked:
                    kept.check(line)
                case CheckRecord():
                    ended.add(line.target)
                case TimingRecord():
                    kept.timing(line)
                case _:
                    continue


def _require_same_checks(plan: RunPlan, target: RunTarget, record: CheckRecord | None) -> None:
    """Check that the last record of a target is that of the last check that it has done."""
    last = next(plan.checks(target.done - 1)) if record is not None else None
    if record is not None and (last is None or (record.case, record.form) != (last.case.id, last.form)):
        what = "the log and this selection have different checks"
        raise RunLogError(target.entry.name, what, fix="start a new log")
