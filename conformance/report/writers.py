"""Writes reports to files, and JSON for programs; no other module of this package writes to a file of the user."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Generic, Literal, TypeVar

from pydantic import TypeAdapter

from conformance.compat.data import CompatData, CompatFrameworks
from conformance.log.compare import CheckName, Comparison
from conformance.log.log_file import replacing
from conformance.log.record import Line, Machine, SelectionEntry, TargetEntry
from conformance.log.summary import (
    Cause,
    Counts,
    SeenDeviation,
    Summary,
    TargetResult,
    exit_code,
    harness_reasons,
    in_order,
    result_of,
)
from conformance.report import wording
from conformance.report.document import ReportTree
from conformance.spec.verdict import ExitCode, Verdict
from conformance.tensors.errors import UsageError
from conformance.tensors.files import refuse_foreign
from conformance.tensors.text import one_line

if TYPE_CHECKING:
    from conformance.report.run_page import ScriptOf

_DEVICES = (Path("/dev"), Path("/dev/fd"))


@dataclass(frozen=True, slots=True)
class ReportSource:
    """The input of reports: a log (a file, or lines that can be read repeatedly), its summary and its scripts."""

    log: Path | Iterable[Line]
    summary: Summary
    script_of: ScriptOf


def write(kind: str, source: ReportSource | Comparison | ReportTree, path: Path) -> Path:
    """Write a report, and return its path.

    Args:
        kind: `html` or `markdown`; of a log or a comparison also `json`, of a log also `junit`.
        source: what the report shows.
        path: the file to write; links of a comparison start at its place.

    Raises:
        UsageError: the file cannot be written, or a link or a pipe stands there.
        RunLogError: the log cannot be read.
    """
    return _written(path, partial(_render, kind, source))


def write_text(texts: Iterable[str], path: Path) -> Path:
    """Write a text in pieces, and return its path.

    Raises:
        UsageError: the file cannot be written, or a link or a pipe stands there.
    """
    return _written(path, partial(_write_texts, texts))


def refuse_overwriting(outputs: Iterable[Path], inputs: Iterable[Path]) -> None:
    """Refuse an output that is the same file as an input or another output, under any name.

    Raises:
        UsageError: there is one; nothing is written.
    """
    taken = {os.path.realpath(path): "is read by this command, and would be overwritten" for path in inputs}
    for path in outputs:
        place = os.path.realpath(path)
        if place in taken:
            raise UsageError(str(path), taken[place], fix="name another file")
        taken[place] = "is named for two reports"


def _written(path: Path, write_to: Callable[[IO[bytes]], object]) -> Path:
    """Write a file; an existing one is replaced only by the complete new one. /dev/stdout is written to directly."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path == Path(os.devnull) or path.parent in _DEVICES:
            with path.open("wb") as out:
                write_to(out)
            return path
        refuse_foreign(path)
        with replacing(path) as file, file.open("xb") as out:
            write_to(out)
    except OSError as error:
        fix = "name a file in a folder that can be written to"
        raise UsageError(str(path), f"cannot be written: {error.strerror}", fix=fix) from None
    return path


def _write_texts(texts: Iterable[str], out: IO[bytes]) -> None:
    out.writelines(text.encode() for text in texts)


def _render(kind: str, source: ReportSource | Comparison | ReportTree, out: IO[bytes]) -> None:
    """Render a report; each renderer is imported only when it is used."""
    match kind, source:
        case "html", ReportSource():
            from conformance.report.run_page import render_html

            _write_texts(render_html(source.summary, source.log, source.script_of), out)
        case "html", _:
            from conformance.report.page import page_of

            _write_texts(page_of(_tree(source, Path(out.name))), out)
        case "markdown", _:
            from conformance.report.page import markdown_of

            _write_texts([markdown_of(_tree(source, Path(out.name)))], out)
        case "json", Comparison():
            from conformance.report.comparison import render_comparison

            out.write(render_comparison(source))
        case "json", ReportSource():
            out.write(render_summary(source.summary))
        case "junit", ReportSource():
            from conformance.report.junit import write_junit

            write_junit(source.log, source.summary, out)
        case _:
            raise ValueError(f"no report of {type(source).__name__} is named {kind!r}")


def _tree(source: ReportSource | Comparison | ReportTree, page: Path) -> ReportTree:
    if isinstance(source, ReportTree):
        return source
    if isinstance(source, Comparison):
        from conformance.report import comparison

        return comparison.tree_of(source, page)
    from conformance.report.terminal import screen_of

    return screen_of(source.summary, lists_known=True)


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
            OperatorSummary(operator=operator, tally=_tally(counts)) for operator, counts in cells if counts.total
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
