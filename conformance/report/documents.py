"""Reports for programs: JSON documents with a published schema, and JUnit XML for CI systems."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Generic, Literal, TypeVar

from junitparser import Error, Failure, Skipped, SystemErr, SystemOut, TestCase, TestSuite
from pydantic import TypeAdapter

from conformance.compat.data import CompatData, CompatFrameworks
from conformance.log.causes import Cause, Counts, MedianTime, in_order
from conformance.log.compare import CheckName
from conformance.log.log_file import records_of
from conformance.log.record import CheckRecord, Header, Line, Machine, SelectionEntry, TargetEntry
from conformance.log.summary import SeenDeviation, Summary, TargetResult, exit_code, harness_reasons, result_of
from conformance.report import wording
from conformance.report.case_view import finding_text, reason_text
from conformance.report.tensors import call_line, options_by_target, rerun_command
from conformance.spec.verdict import ExitCode, JUnit, RateMark, Verdict
from conformance.tensors.text import one_line, visible

# JSON for programs: UTF-8 that every reader accepts, and documents with a published schema.

Written = TypeVar("Written")


class JsonDocument(Generic[Written]):
    """The kind of a document, a dataclass, under the title of its schema."""

    def __init__(self, kind: type[Written], title: str) -> None:
        self._adapter: TypeAdapter[Written] = TypeAdapter(kind)
        self._title = title

    def rendered(self, document: Written) -> bytes:
        """The document as JSON."""
        return json_bytes(self._adapter.dump_python(document, mode="json"), indent=2) + b"\n"

    def schema(self) -> dict[str, object]:
        """The JSON Schema of such a document."""
        schema = self._adapter.json_schema(mode="serialization")
        return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": self._title}


def json_bytes(value: object, indent: int | None = None) -> bytes:
    """Plain values as JSON; lone surrogates, which UTF-8 cannot encode, become question marks."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent).encode("utf-8", "replace")


# The summary of a run as JSON for programs, with a published schema.

_MAX_CHECKS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictCounts:
    """Verdicts counted: `conforming` of `compared` is the rate; `lowered` results are in it."""

    compared: int
    conforming: int
    lowered: int
    verdicts: dict[Verdict, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorSummary:
    """What a target did with an operator version."""

    operator: str
    tally: VerdictCounts
    prepare: MedianTime | None
    run: MedianTime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetSummary:
    """A target and its result; `sentence` says it for readers."""

    name: str
    adapter: str
    framework: str
    version: str
    options: dict[str, str]
    problem: str
    result: TargetResult
    sentence: str
    tally: VerdictCounts
    operators: list[OperatorSummary]


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseSummary:
    """Checks of a target that ended alike, and the first of them by name."""

    target: str
    verdict: Verdict
    cause: str
    deviation: str
    count: int
    checks: list[CheckName]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviationSummary:
    """A recorded deviation and the verdicts of the checks that it covers."""

    id: str
    target: str
    what: str
    verdicts: dict[Verdict, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryDocument:
    """What a run found. `reasons` say why it proves nothing, where `exit_code` is 3."""

    format: Literal[1] = 1
    headline: str
    exit_code: ExitCode
    reasons: list[str]
    started: str
    ended: str | None
    suite_version: str
    suite_digest: str
    selection: SelectionEntry
    machine: Machine
    planned: int
    records: int
    targets: list[TargetSummary]
    causes: list[CauseSummary]
    deviations: list[DeviationSummary]


DOCUMENT = JsonDocument(SummaryDocument, "The summary of an opconform run")


def render_summary(summary: Summary) -> bytes:
    """The summary as JSON."""
    return DOCUMENT.rendered(_document(summary))


def _document(summary: Summary) -> SummaryDocument:
    header, footer = summary.header, summary.footer
    return SummaryDocument(
        headline=wording.headline(summary),
        exit_code=exit_code(summary),
        reasons=list(harness_reasons(summary)),
        started=header.started,
        ended=footer.ended if footer is not None else None,
        suite_version=header.suite.version,
        suite_digest=header.suite.digest,
        selection=header.selection,
        machine=header.machine,
        planned=header.planned,
        records=summary.records,
        targets=[_target(summary, target) for target in summary.targets],
        causes=[_cause(cause) for cause in summary.causes],
        deviations=[_deviation(seen) for seen in summary.deviations],
    )


def _target(summary: Summary, target: TargetEntry) -> TargetSummary:
    cells = [(operator, summary.cell(operator, target.name)) for operator in summary.operators]
    return TargetSummary(
        name=target.name,
        adapter=target.adapter,
        framework=target.framework,
        version=target.version,
        options=target.options,
        problem=one_line(target.problem),
        result=result_of(summary, target),
        sentence=wording.target_sentence(summary, target),
        tally=_tally(summary.counts(target.name)),
        operators=[
            OperatorSummary(operator=operator, tally=_tally(cell.counts), prepare=cell.prepare, run=cell.run)
            for operator, cell in cells
            if cell.counts.total
        ],
    )


def _tally(counts: Counts) -> VerdictCounts:
    return VerdictCounts(
        compared=counts.compared,
        conforming=counts.conforming,
        lowered=counts.lowered,
        verdicts=in_order(Verdict, counts.of),
    )


def _cause(cause: Cause) -> CauseSummary:
    return CauseSummary(
        target=cause.target,
        verdict=cause.verdict,
        cause=cause.text,
        deviation=cause.deviation,
        count=cause.count,
        checks=[CheckName(case=record.case, form=record.form) for record in cause.records[:_MAX_CHECKS]],
    )


def _deviation(seen: SeenDeviation) -> DeviationSummary:
    entry = seen.entry
    return DeviationSummary(
        id=entry.id, target=entry.target, what=one_line(entry.what), verdicts=in_order(Verdict, seen.counts.of)
    )


# The schemas of the published data of all releases, `compat/data.json.xz` and `compat/engines.json`.

DATA = JsonDocument(CompatData, "The published data of all releases")
FRAMEWORKS = JsonDocument(CompatFrameworks, "The releases that the published data can name")


# JUnit XML: a suite per target, a test case per check, and a suite for problems of the run itself.
#
# junitparser builds the test cases one at a time. They wait in a temporary file per suite, so that memory does not grow
# with the log.

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
        _put(case, SystemOut(f"{call_line(record)}\n{rerun_command(record, options)}\n{visible(record.where, 500)}"))
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
