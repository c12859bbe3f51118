"""Reads the answers of a log, in short, for comparisons of runs: one pass that also gives its summary."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from conformance.border.form import Form
from conformance.findings.causes import cause_name
from conformance.findings.change import Answer
from conformance.findings.summary import Summary, summarize
from conformance.language.verdict import Rank
from conformance.log.record import CheckRecord, Header, Line, TimeEntry, TimingRecord
from conformance.values.text import one_line

CheckKey = tuple[str, str, Form]
"""Target, case and form of a check."""


@dataclass(frozen=True, slots=True)
class LoggedAnswers:
    """The summary of a log, the answer to each check, and the steady time of each timed case by target and case."""

    summary: Summary
    answers: dict[CheckKey, Answer]
    times: dict[tuple[str, str], TimeEntry]


def read_answers(lines: Iterable[Line]) -> LoggedAnswers:
    """The answers of a log, given as lines. If a check has several records, the first one counts.

    Raises:
        RunLogError: the log has no header, or a line is not one of a log.
    """
    answers: dict[CheckKey, Answer] = {}
    times: dict[tuple[str, str], TimeEntry] = {}

    def noted() -> Iterator[Line]:
        disputes: Collection[str] = ()
        for line in lines:
            match line:
                case Header():
                    disputes = line.suite.disputes
                case CheckRecord():
                    key = sys.intern(line.target), line.case, line.form
                    answers.setdefault(key, _answer(line, disputes))
                case TimingRecord(run=TimeEntry() as run):
                    times[line.target, line.case] = run
                case _:
                    pass
            yield line

    return LoggedAnswers(summarize(noted()), answers, times)


def _answer(record: CheckRecord, disputes: Collection[str]) -> Answer:
    """The answer of a record, with interned texts to save memory."""
    names = ("cause", "interpretation", "lowered", "ran_on")
    severity, deviates = record.judged.meaning.severity, record.verdict.meaning.rank is Rank.DEVIATES
    named = cause_name(record)
    return Answer(
        verdict=record.verdict,
        judged=record.judged,
        is_disputed=record.case.partition("[")[0] in disputes,
        outputs=record.outputs,
        deviation=sys.intern(one_line(named.deviation)),
        fault=(named, severity) if deviates and severity is not None else None,
        **{name: sys.intern(one_line(getattr(record, name))) for name in names},
    )
