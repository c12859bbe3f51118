"""A run as a tree: how each target stands, what differs and why, and what was not compared."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from markupsafe import Markup

from conformance.findings.summary import Summary, exit_code, harness_reasons
from conformance.language.verdict import Section
from conformance.report import wording
from conformance.report.cards import cards
from conformance.report.causes_tree import CauseTrees
from conformance.report.document import (
    ALL,
    Cards,
    Details,
    Drawing,
    Facts,
    Items,
    Medium,
    Only,
    ReportBlock,
    ReportSection,
    ReportTree,
    Sentence,
    Span,
    SpanKind,
    Table,
    TableCell,
    TableColumn,
    columns,
    row,
)
from conformance.report.page import asset
from conformance.report.page_blocks import SCRIPTED
from conformance.report.rates import rate_cell, rate_cells
from conformance.report.run_sections import clauses, disputes, environment, not_compared
from conformance.report.timing import timing
from conformance.values.text import counted, shortened


def tree_of(summary: Summary) -> ReportTree:
    """The tree of a run."""
    header = summary.header
    finder = Drawing(Markup(asset("finder.html")))  # noqa: S704 - ours
    about = (
        f"{counted(summary.records, 'check')} on {counted(len(summary.targets), 'target')}, started {header.started}, "
        f"suite {header.suite.version} "
    )
    return ReportTree(
        product="Conformance report",
        headline=wording.headline(summary),
        exit_code=exit_code(summary),
        id="conformance",
        opening=[Only(Medium.FILE, [Sentence([about, Span(header.suite.digest[:12], SpanKind.CODE)], "meta")])],
        note=wording.part_of_suite(summary),
        alert="This run does not show conformance.",
        reason="not judged",
        reasons=[*harness_reasons(summary)],
        result=[Cards(cards(summary)), *_rates(summary)],
        sections=[
            _differences(summary),
            ReportSection(title="Find a check", id="checks", kind=SCRIPTED, blocks=[finder], media=Medium.PAGE),
            *([timing(summary)] if summary.timings else []),
            clauses(summary),
            disputes(summary),
            not_compared(summary),
            environment(summary),
        ],
    )


def _rates(summary: Summary) -> Iterable[ReportBlock]:
    names = [target.name for target in summary.targets]
    short = [shortened(name.partition("[")[0].partition("@")[0], 24) for name in names]
    rows = []
    for operator, versions in summary.families.items():
        inner = [row(_operator(one), *rate_cells(summary, (one,), {"operator": one})) for one in versions]
        if len(versions) == 1 or len(summary.families) == 1:
            rows += inner
        else:
            number = TableCell(counted(len(versions), "version"))
            cells = rate_cells(summary, versions, {"operator": operator})
            rows.append(row(_operator(operator, number), *cells, inner=inner))
    yield Table(
        name="Passed checks by operator and target",
        columns=[
            TableColumn("Operator"),
            *(TableColumn(name, f"[{n}] {one}") for n, (name, one) in enumerate(zip(names, short, strict=True), 1)),
        ],
        rows=rows,
        footer=row("All operators", *(rate_cell(summary.counts(name), name, {}) for name in names)),
        caption=wording.DENOMINATORS,
        few=ALL,
        kind="matrix",
    )
    met = {mark for name in names for mark in wording.marks(summary.counts(name))}
    words = {mark.value: text.sentence for mark, text in wording.MARKS.items() if mark in met}
    if words:
        yield Details(head="What the words beside the rates mean", blocks=[Facts(words)], kind="legend")


def _operator(name: str, *notes: TableCell) -> TableCell:
    return TableCell(Span(name, SpanKind.CODE, limit=100), notes)


def _differences(summary: Summary) -> ReportSection:
    trees = CauseTrees(summary)
    problems = {target.name for target in summary.targets if target.problem}
    blocks: list[ReportBlock] = []
    for section, of_section in groupby(summary.causes, lambda cause: cause.verdict.meaning.section):
        if section is None:
            continue
        (title, about), causes = _GROUPS[section], [*of_section]
        checks = counted(sum(cause.count for cause in causes), "check")
        number = Span(f"{checks}, {counted(len(causes), 'cause')}", SpanKind.COUNT)
        started: list[Details] = []
        others: list[Details] = []  # the result of a target that could not start has the reason
        for cause in causes:
            (others if cause.target in problems else started).append(trees.details(cause))
        blocks.append(
            ReportSection(
                title=(f"{title}: ", number),
                about=about,
                blocks=[Items(started, few=ALL), Only(Medium.PAGE, [Items(others)] if others else [])],
                id=f"group-{section.value}",
                kind="group",
                media=Medium.ANY if started else Medium.PAGE,
            )
        )
    unscripted = "Without its script the page shows the first case of each cause; the log has all of them."
    nothing = Sentence("Nothing: every compared check is as the spec requires, bit for bit.")
    return ReportSection(
        title="What differs, and why",
        id="differences",
        blocks=[
            Only(Medium.PAGE, [Sentence(unscripted, "unscripted muted")]),
            *(blocks or [nothing]),
            *([_recorded(summary)] if summary.deviations else []),
        ],
    )


def _recorded(summary: Summary) -> ReportSection:
    rows = [
        row(
            Span(seen.entry.id, SpanKind.CODE),
            Span(seen.entry.target, SpanKind.NAME),
            seen.entry.what,
            seen.counts.text or Span("untested", SpanKind.MUTED),
            seen.entry.review,
        )
        for seen in summary.deviations
    ]
    about = "Every recorded deviation of a target, with the checks of this run that count for it. Untested: none does."
    table = Table(
        name="All recorded deviations",
        columns=columns("Deviation", "Target", "What", "In this run", "Review"),
        rows=rows,
    )
    return ReportSection(title="All recorded deviations", about=about, blocks=[table], id="recorded", media=Medium.FILE)


_GROUPS = {
    Section.NEW: ("New differences", "No recorded deviation covers these."),
    Section.FIXED: ("Fixed", "These conform, though an entry of deviations.yaml says that they deviate."),
    Section.NOT_JUDGED: (
        "Not judged",
        "The run, the suite or the adapter failed here, which says nothing about the framework.",
    ),
    Section.NEIGHBOURS: (
        "Caused by another node",
        "Without the operator, the same graph deviates in the same way: these count neither for nor against it.",
    ),
    Section.BEFORE: (
        "Broken before",
        "These failed in the baseline too: they do not fail the run, nor count as conforming.",
    ),
    Section.KNOWN: ("Known deviations", "These deviate exactly as recorded, and do not fail the run."),
}
