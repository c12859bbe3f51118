"""The page of an operator version: what each release of each engine answers to it, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from compat_page_frame import finder, json_block, legend, page_with, web_link
from compat_page_matrix import badge, cell_text, findings_by_row, matrix, meaning, sentences

from conformance.compat.data import CompatData, CompatDeviation
from conformance.compat.frameworks import CompatFrameworks
from conformance.compat.letters import FAULTS
from conformance.compat.series import spread
from conformance.compat.statements import since
from conformance.history.store import LETTER_OF_SEVERITY
from conformance.language.verdict import Severity
from conformance.report.document import (
    ALL,
    Drawing,
    Items,
    ReportSection,
    ReportTree,
    Sentence,
    Span,
    SpanKind,
    node,
)
from conformance.report.releases import evidence_commands, target_at

_ABOUT = (
    "The newest release stands first; 3/100: of 100 checks that were judged, 3 deviate; +1: a recorded fault that its "
    "script shows. Striped cells were not asked. "
    "Choose a cell for what it counts, the causes, and the commands that show them. The arrow keys lead from cell to "
    "cell, Enter opens one, Escape closes it, and / leads to the query."
)
Days = Mapping[str, Mapping[str, str]]
"""The day of each release, by package."""


def days_of(frameworks: CompatFrameworks) -> Days:
    """The day of each release, by package."""
    return {
        package: {release: facts.date for release, facts in found.releases.items()}
        for package, found in frameworks.engines.items()
    }


def operator_page(data: CompatData, operator: str, days: Days, index: str) -> Iterator[str]:
    """The page, piece by piece; `index` links to the index."""
    engines = engines_of(data, operator)
    tree = ReportTree(
        product="Releases",
        headline=operator,
        opening=[
            Sentence(
                [
                    Span("All operator versions", link=index),
                    " · ",
                    Span("specification", link=web_link(data.operators[operator].spec_url)),
                ],
                kind="meta",
            )
        ],
        result=[
            Items([_summary(data, operator, engine, number) for number, engine in enumerate(engines, 1)], few=ALL),
            Drawing(finder("int4 runtime 1.24", "Rows and releases")),
            Drawing(legend(data)),
            Sentence(_ABOUT, kind="about"),
        ],
        sections=[_section(data, operator, engine, number, days) for number, engine in enumerate(engines, 1)],
    )
    sheet = node("aside", id="answer", aria_labelledby="answer-title", tabindex="-1", hidden="")
    block = json_block("answers", _answers(data, operator, engines))
    return page_with(
        tree,
        ("terms", "matrix", "answer", "operator"),
        title=f"{operator}: what each release answers",
        after=[sheet, block],
    )


def engines_of(data: CompatData, operator: str) -> list[str]:
    """The engines that have answers to an operator version, those with most releases first."""
    found = (engine for engine in data.engines if any(data.cells(operator, engine).values()))
    return sorted(found, key=lambda engine: -len(data.engines[engine].releases))


def _summary(data: CompatData, operator: str, engine: str, number: int) -> list[str | Span]:
    """The newest answer of an engine, and since when."""
    cells = data.cells(operator, engine)
    release, cell = next((release, cell) for release, cell in reversed(cells.items()) if cell is not None)
    text = cell_text(cell, meaning(cell.letter))
    answer = Span(text, page=badge(text, cell.letter))
    return [Span(f"{engine} {release}", link=f"#engine-{number}"), " ", answer, " ", Span(since(cells), SpanKind.MUTED)]


def _section(data: CompatData, operator: str, engine: str, number: int, days: Days) -> ReportSection:
    of = data.engines[engine]
    conditions = spread(of.conditions, of.releases)[of.releases[-1]]
    ran = f"{conditions.system} {conditions.instruction_set}".rstrip() if conditions else ""
    return ReportSection(
        title=engine,
        about=f"Run on {ran}." if ran else (),
        bar=engine,
        id=f"engine-{number}",
        blocks=[Drawing(matrix(data, operator, engine, days.get(of.package, {})))],
    )


def _answers(data: CompatData, operator: str, engines: Sequence[str]) -> dict[str, object]:
    """What the script shows of a cell other than its counts."""
    return {
        "operator": operator,
        "letters": dict(data.letters),
        "says": {engine: sentences(data, operator, engine) for engine in engines},
        "engines": {engine: _facts(data, operator, engine) for engine in engines},
        "findings": [one for engine in engines for one in _findings(data, operator, engine)],
        "deviations": [
            _deviation(data, one) for one in data.deviations if operator in one.operators and one.engine in engines
        ],
    }


def _facts(data: CompatData, operator: str, engine: str) -> dict[str, dict[str, object]]:
    """The target and the evidence of each release of an engine."""
    return {
        release: {
            "target": target_at(engine, release),
            "evidence": digest,
            "again": evidence_commands(engine, release, operator, data.engines[engine].profile) if digest else [],
        }
        for release, digest in data.evidence(operator, engine).items()
    }


def _findings(data: CompatData, operator: str, engine: str) -> Iterator[dict[str, object]]:
    """The recorded faults of an engine, with the rows and the releases that have them."""
    rows = findings_by_row(data, operator, engine)
    for one in data.findings_of(operator, engine):
        shown = spread(one.operators[operator], data.engines[engine].releases)
        yield {
            "engine": engine,
            "id": one.id,
            "letter": one.letter,
            "what": one.what,
            "upstream": web_link(one.upstream),
            "rows": rows[one.id],
            "releases": [release for release, is_shown in shown.items() if is_shown],
        }


def _deviation(data: CompatData, one: CompatDeviation) -> dict[str, object]:
    checks = spread(one.checks, data.engines[one.engine].releases)
    return {
        "engine": one.engine,
        "letter": _letter(one.severity),
        "severity": one.severity,
        "cause": one.cause,
        "what": one.what,
        "upstream": web_link(one.upstream),
        "operators": one.operators,
        "checks": {release: count for release, count in checks.items() if count},
        "case": one.example.case,
        "form": one.example.form,
    }


def _letter(severity: str) -> str:
    """The letter of a severity, by its name; the mildest for one that is not known."""
    found = (LETTER_OF_SEVERITY[one] for one in Severity if one.value == severity)
    return next(found, FAULTS[-1])
