"""JUnit XML for CI systems: a suite per target, a test case per check, and a suite for problems of the run itself.

junitparser builds the test cases one at a time. They wait in a temporary file per suite, so that memory does not grow
with the log.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from junitparser import Error, Failure, Skipped, SystemErr, SystemOut, TestCase, TestSuite

from conformance.log.log_file import records_of
from conformance.log.record import CheckRecord, Header, Line, TargetEntry
from conformance.log.summary import Summary, harness_reasons
from conformance.report.case_view import finding_text, reason_text
from conformance.report.tensors import RERUN, call_line, filled, options_by_target
from conformance.spec.verdict import JUnit, RateMark
from conformance.tensors.text import one_line, visible

_RUN = "opconform"
_ResultElement = Failure | Error | Skipped
_ELEMENTS: dict[JUnit, type[_ResultElement]] = {JUnit.FAILURE: Failure, JUnit.ERROR: Error, JUnit.SKIPPED: Skipped}


@dataclass(slots=True)
class _SuiteElement:
    """A suite with its test cases in a temporary file."""

    element: TestSuite
    waiting: IO[bytes]
    counts: Counter[JUnit] = field(default_factory=Counter)
    elapsed_ns: int = 0

    def add(self, case: TestCase, result: JUnit) -> None:
        self.waiting.write(_xml(case) + b"\n")
        self.counts[result] += 1

    def write(self, header: Header, out: IO[bytes]) -> None:
        """Write the suite's element around its test cases."""
        element = self.element
        element.timestamp = visible(header.started, 100)
        element.tests = self.counts.total()
        element.failures, element.errors = self.counts[JUnit.FAILURE], self.counts[JUnit.ERROR]
        element.skipped = self.counts[JUnit.SKIPPED]
        element.time = self.elapsed_ns / 1e9
        element.add_property("planned", str(header.planned))
        opening, closing, _ = _xml(element).rpartition(b"</testsuite>")
        out.write(opening + b"\n")
        self.waiting.seek(0)
        shutil.copyfileobj(self.waiting, out)
        out.write(closing + b"\n")


def write_junit(log: Path | Iterable[Line], summary: Summary, out: IO[bytes]) -> None:
    """Write the log's records as JUnit XML; `summary` is that of the same log.

    Raises:
        RunLogError: the log cannot be read.
    """
    with ExitStack() as files:
        of_run = _SuiteElement(TestSuite(_RUN), files.enter_context(TemporaryFile()))
        for number, reason in enumerate(harness_reasons(summary), 1):
            of_run.add(_case_of_run(number, visible(reason)), JUnit.ERROR)
        suites = {
            target.name: _SuiteElement(_described(target, summary), files.enter_context(TemporaryFile()))
            for target in summary.targets
        }
        options = options_by_target(summary)
        for record in records_of(log):
            suite = suites[record.target]
            suite.add(case_from_record(record, options[record.target]), record.verdict.meaning.junit)
            suite.elapsed_ns += record.prepare_ns + sum(record.run_ns)
        out.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="opconform">\n')
        for suite in (*([of_run] if of_run.counts else []), *suites.values()):
            suite.write(summary.header, out)
        out.write(b"</testsuites>\n")


def case_from_record(record: CheckRecord, options: str) -> TestCase:
    """One check as a test case, named by case and form; `options` name its target."""
    elapsed_s = (record.prepare_ns + sum(record.run_ns)) / 1e9
    name = f"{visible(record.case, 500)}@{record.form.value}"
    case = TestCase(name, visible(record.operator, 200), elapsed_s)
    make = _ELEMENTS.get(record.verdict.meaning.junit)
    if make is None:
        if record.interpretation:
            _put(case, SystemOut(f"follows the interpretation {one_line(record.interpretation)}"))
        return case
    result = make(reason_text(record), record.verdict.value)
    result.text = finding_text(record)
    _put(case, result)
    if record.call is not None:
        _put(case, SystemOut(f"{call_line(record)}\n{filled(RERUN, record, options)}\n{visible(record.where, 500)}"))
    if record.stderr:
        _put(case, SystemErr(visible(record.stderr)))
    return case


def _case_of_run(number: int, reason: str) -> TestCase:
    """A problem of the run itself, such as a log that is cut off or a target that did not start."""
    case, error = TestCase(f"run-{number}", _RUN, 0.0), Error(reason, RateMark.NOT_JUDGED.value)
    error.text = reason
    _put(case, error)
    return case


def _described(target: TargetEntry, summary: Summary) -> TestSuite:
    suite = TestSuite(visible(target.name, 500))
    facts = {
        "adapter": target.adapter,
        "framework": f"{target.framework} {target.version}".strip(),
        "devices": ", ".join(target.devices),
        "suite": f"{summary.header.suite.version} {summary.header.suite.digest}",
        "problem": target.problem,
        **{f"option.{name}": value for name, value in target.options.items()},
        **{f"detail.{name}": value for name, value in target.details.items()},
    }
    for name, value in facts.items():
        if value:
            suite.add_property(one_line(name), one_line(value))
    return suite


def _put(case: TestCase, child: _ResultElement | SystemOut | SystemErr) -> None:
    case.append(child)  # type: ignore[no-untyped-call] # junitparser has no types for it


def _xml(element: TestCase | TestSuite) -> bytes:
    xml: bytes = element.tostring()  # type: ignore[no-untyped-call] # junitparser has no types for it
    return xml
