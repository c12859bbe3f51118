"""A run as a tree: how each target stands, what differs and why, and what was not compared."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from conformance.findings.summary import Summary, exit_code, harness_reasons
from conformance.report import wording
from conformance.report.cards import Card, cards
from conformance.report.case_view import badge
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
    ResultCard,
    Sentence,
    ShellCommand,
    Span,
    SpanKind,
    Table,
    TableCell,
    TableColumn,
    TableRow,
    Tone,
)
from conformance.report.drawing import share_drawing
from conformance.report.links import cause_id
from conformance.report.page import asset
from conformance.report.page_blocks import SCRIPTED
from conformance.report.rates import rate_cell, rate_cells
from conformance.report.run_sections import clauses, disputes, environment, not_compared
from conformance.report.sections import cause_groups, operator_rows, part_sentence
from conformance.report.timing_tree import timing
from conformance.values.text import counted, shortened

_TONES = {"green": Tone.GOOD, "amber": Tone.KNOWN, "red": Tone.BAD, "orange": Tone.WARNING, "grey": Tone.QUIET}
_BRIEF = ("known", "before", "neighbours")
"""Groups whose causes have one line each on a terminal."""


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
        note=part_sentence(header.selection),
        alert="This run is no evidence of conformance.",
        reason="not judged",
        reasons=[*harness_reasons(summary)],
        result=[Cards([_card(summary, card) for card in cards(summary)]), *_rates(summary)],
        sections=[
            _differences(summary),
            ReportSection(
                title="Find a check", id="checks", bar="Checks", kind=SCRIPTED, blocks=[finder], media=Medium.PAGE
            ),
            timing(summary),
            clauses(summary),
            disputes(summary),
            not_compared(summary),
            environment(summary),
        ],
    )


def _card(summary: Summary, card: Card) -> ResultCard:
    blocks: list[ReportBlock] = [Drawing(share_drawing(summary.counts(card.target.name)))]
    if card.worst is not None:
        shown = badge(card.worst.verdict, wording.worst_judged(card.worst))
        link = f"#{cause_id(card.worst)}"
        extent = Span(wording.cause_extent(card.worst), SpanKind.MUTED)
        title = Span(wording.cause_title(summary, card.worst), link=link)
        blocks.append(Sentence([Span("Worst ", SpanKind.STRONG), Span("-", page=shown), " ", title, " ", extent]))
    blocks.append(Sentence([Span("Next ", SpanKind.STRONG), card.advice]))
    blocks += [ShellCommand(card.command)] if card.command else []
    names = [target.name for target in summary.targets]
    return ResultCard(
        number=names.index(card.target.name) + 1,
        name=card.target.name,
        sign=card.result.sign,
        tone=_TONES[card.result.colour],
        sentence=card.sentence,
        blocks=[Only(Medium.PAGE, blocks)],
    )


def _rates(summary: Summary) -> Iterable[ReportBlock]:
    names = [target.name for target in summary.targets]
    short = [shortened(name.partition("[")[0].partition("@")[0], 24) for name in names]
    rows = []
    for operator, versions in operator_rows(summary).items():
        is_family = len(versions) > 1
        inner = [TableRow([_operator(one), *rate_cells(summary, (one,), {"operator": one})]) for one in versions]
        number = [TableCell(counted(len(versions), "version"))] if is_family else []
        cells = rate_cells(summary, versions, {"operator": operator})
        rows.append(TableRow([_operator(operator, number), *cells], inner if is_family else ()))
    yield Table(
        name="Passed checks by operator and target",
        columns=[
            TableColumn("Operator"),
            *(TableColumn(name, f"[{n}] {one}") for n, (name, one) in enumerate(zip(names, short, strict=True), 1)),
        ],
        rows=rows,
        footer=TableRow([TableCell("All operators"), *(rate_cell(summary.counts(name), name, {}) for name in names)]),
        caption=wording.DENOMINATORS,
        few=ALL,
        kind="matrix",
    )
    met = {mark for name in names for mark in wording.marks(summary.counts(name))}
    words = {
        f"{text.short}: {mark.value}" if text.short else mark.value: text.sentence
        for mark, text in wording.MARKS.items()
        if mark in met
    }
    if words:
        yield Details(head="What the words beside the rates mean", blocks=[Facts(words)], kind="legend")


def _operator(name: str, notes: Iterable[TableCell] = ()) -> TableCell:
    return TableCell(Span(name, SpanKind.CODE, limit=100), [*notes])


def _differences(summary: Summary) -> ReportSection:
    trees = CauseTrees(summary)
    problems = {target.name for target in summary.targets if target.problem}
    blocks: list[ReportBlock] = []
    for group in cause_groups(summary):
        checks = counted(sum(cause.count for cause in group.causes), "check")
        number = Span(f"{checks}, {counted(len(group.causes), 'cause')}", SpanKind.COUNT)
        started: list[Details] = []
        others: list[Details] = []  # the result of a target that could not start has the reason
        for place, cause in enumerate(group.causes):
            entry = trees.details(cause, is_brief=group.id in _BRIEF, place=place)
            (others if cause.target in problems else started).append(entry)
        blocks.append(
            ReportSection(
                title=(f"{group.title}: ", number),
                about=group.about,
                blocks=[Items(started, few=ALL), Only(Medium.PAGE, [Items(others)] if others else [])],
                id=f"group-{group.id}",
                kind="group",
                media=Medium.ANY if started else Medium.PAGE,
            )
        )
    unscripted = "Without its script the page shows the first case of each cause; the log has all of them."
    nothing = Sentence("Nothing: every compared check is as the spec requires, bit for bit.")
    return ReportSection(
        title="What differs, and why",
        id="differences",
        bar="Differences",
        blocks=[
            Only(Medium.PAGE, [Sentence(unscripted, "unscripted muted")]),
            *(blocks or [nothing]),
            *([_recorded(summary)] if summary.deviations else []),
        ],
    )


def _recorded(summary: Summary) -> ReportSection:
    names = ("Deviation", "Target", "What", "In this run", "Review")
    rows = [
        TableRow(
            [
                TableCell(Span(seen.entry.id, SpanKind.CODE)),
                TableCell(Span(seen.entry.target, SpanKind.NAME)),
                TableCell(seen.entry.what),
                TableCell(seen.counts.text or Span("did not occur", SpanKind.MUTED)),
                TableCell(seen.entry.review),
            ]
        )
        for seen in summary.deviations
    ]
    about = "Every recorded deviation of a target of this run, and how often it occurred."
    table = Table(name="All recorded deviations", columns=[*map(TableColumn, names)], rows=rows)
    return ReportSection(title="All recorded deviations", about=about, blocks=[table], id="recorded", media=Medium.FILE)
