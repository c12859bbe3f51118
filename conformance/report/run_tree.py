"""A run as the tree of its page: how each target stands, what differs and why, and what was not compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from conformance.log.record import CheckRecord, RecordedDeviation, TargetEntry
from conformance.log.summary import Cause, Summary, TargetResult, dtype_of, rank_of, result_of
from conformance.report import wording
from conformance.report.case_view import badge, call_view, deviation_facts, result_view
from conformance.report.document import (
    SCRIPTED,
    Cards,
    Details,
    Drawing,
    Facts,
    Items,
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
    columns,
    row,
)
from conformance.report.page import rendered
from conformance.report.run_sections import (
    RESULT_TONES,
    clauses,
    disputes,
    ending_of,
    environment,
    not_compared,
    rate_cell,
    rate_cells,
    share_drawing,
    timing,
)
from conformance.report.tensors import (
    REPRO,
    RERUN_FAILED,
    commands_of,
    filled,
    options_by_target,
    recorded_command,
    target_options,
)
from conformance.report.wording import cause_id, check_fragment, find_link
from conformance.spec.verdict import Section
from conformance.tensors.text import counted, one_line, visible

# A cause as an entry that unfolds: its recorded deviation, and the first checks that it explains.

_FIRST_CASES_CHARACTERS = 700_000
_LEVEL_OF_FIRST = 6
"""The level of headings in the first check of a cause, whose own have levels 4 and 5."""
_MAX_LINKED = 6


class CauseTrees:
    """Makes the entries of causes, the first case of each in full, up to `_FIRST_CASES_CHARACTERS`."""

    def __init__(self, summary: Summary) -> None:
        self._summary = summary
        self._options = options_by_target(summary)
        self._targets = {target.name: target for target in summary.targets}
        self._room = _FIRST_CASES_CHARACTERS

    def details(self, cause: Cause) -> Details:
        """The entry of a cause."""
        recorded = self._summary.recorded(cause.target, cause.deviation)
        shown = Span(cause.verdict.value, page=badge(cause.verdict, wording.worst_judged(cause)))
        code = (" · ", Span(cause.deviation, SpanKind.CODE)) if cause.deviation else ()
        return Details(
            head=wording.cause_title(self._summary, cause),
            line=(
                shown,
                " ",
                Span(cause.target, SpanKind.NAME),
                " ",
                Span(wording.kinds_sentence(cause), SpanKind.KINDS),
                *code,
            ),
            id=cause_id(cause),
            blocks=[*self._inside(cause, recorded)],
        )

    def _inside(self, cause: Cause, recorded: RecordedDeviation | None) -> Iterator[ReportBlock]:
        """What unfolds of a cause."""
        if recorded is not None:
            yield deviation_facts(recorded, self._options[cause.target])
        links = [_link(record) for record in cause.records[1:_MAX_LINKED]]
        if cause.count > _MAX_LINKED:
            did = cause.deviation or cause.text
            links.append((Span(f"all {counted(cause.count, 'check')}", link=find_link(target=cause.target, did=did)),))
        if links:
            yield Items(links, kind="cases")
        if cause.records:
            yield from self._first(cause.records[0])
        more = f"Of {counted(cause.left_out, 'further check')} with this cause the values are in the log only. "
        itself = Span("Link to this cause", link=f"#{cause_id(cause)}")
        yield Sentence([more if cause.left_out else "", itself], "muted")

    def _first(self, record: CheckRecord) -> Iterator[ReportBlock]:
        views = []
        if self._room > 0:
            views = [call_view(record), result_view(record, _LEVEL_OF_FIRST)]
            self._room -= sum(map(len, views))
        offered = commands_of(self._targets[record.target])
        yield Drawing(
            rendered(
                "check.html.j2",
                record=record,
                link=check_fragment(record.case, record.form, record.target),
                kinds=", ".join(filter(None, [record.form.value, one_line(dtype_of(record), 40)])),
                views=views,
                commands={name: filled(of, record, self._options[record.target]) for name, of in offered.items()},
            )
        )


def _link(record: CheckRecord) -> tuple[str | Span, ...]:
    fragment = check_fragment(record.case, record.form, record.target)
    return (Span(record.case, link=fragment), " ", Span(record.form.value, SpanKind.MUTED))


# The first screen of a report: for each target its result, its worst cause, and what to do next.

_WORST_OF = (Section.NEW, Section.NOT_JUDGED, Section.BEFORE, Section.KNOWN, Section.NEIGHBOURS)


def cards(summary: Summary) -> list[ResultCard]:
    """A card for each target, the worst result first, of equal results that with the worst cause."""
    found = []
    for number, target in enumerate(summary.targets, 1):
        result, cause = result_of(summary, target), _worst_cause(summary, target)
        rank = -list(TargetResult).index(result), rank_of(cause.severity if cause else None)
        found.append((rank, number, _card(summary, number, result, cause)))
    return [card for _, _, card in sorted(found, key=lambda one: one[:2])]


def _card(summary: Summary, number: int, result: TargetResult, cause: Cause | None) -> ResultCard:
    target = summary.targets[number - 1]
    blocks: list[ReportBlock] = [share_drawing(summary.counts(target.name))]
    if cause is not None:
        shown = Span(cause.verdict.value, page=badge(cause.verdict, wording.worst_judged(cause)))
        title = Span(wording.cause_title(summary, cause), link=f"#{cause_id(cause)}")
        extent = Span(wording.cause_extent(cause), SpanKind.MUTED)
        blocks.append(Sentence([Span("Worst ", SpanKind.STRONG), shown, " ", title, " ", extent]))
    blocks.append(Sentence([Span("Next ", SpanKind.STRONG), _ADVICE[result]]))
    recorded = summary.recorded(target.name, cause.deviation) if cause is not None else None
    command = _command(result, target, summary.header.cases_folders, cause, recorded)
    blocks += [ShellCommand(command)] if command else []
    return ResultCard(
        number=number,
        name=target.name,
        sign=result.sign,
        tone=RESULT_TONES[result.colour],
        sentence=wording.target_sentence(summary, target),
        blocks=blocks,
    )


def _worst_cause(summary: Summary, target: TargetEntry) -> Cause | None:
    """The worst cause in the first section of `_WORST_OF` that has one."""
    own = [cause for cause in summary.causes if cause.target == target.name]
    by_section = (cause for section in _WORST_OF for cause in own if cause.verdict.meaning.section is section)
    return next(by_section, None)


def _command(
    result: TargetResult,
    target: TargetEntry,
    cases_folders: Sequence[str],
    cause: Cause | None,
    recorded: RecordedDeviation | None,
) -> str:
    options = target_options(target, cases_folders)
    if result is TargetResult.NOT_JUDGED:
        return visible(RERUN_FAILED.format(options=options))
    if recorded is not None:
        return recorded_command(recorded.id, target_options(target))
    if result is TargetResult.DIFFERS and cause is not None and cause.records and target.has_scripts:
        return filled(REPRO, cause.records[0], options)
    return ""


_ADVICE = {
    TargetResult.CONFORMS: "Nothing to do. Give this log to a later run as --baseline to see only new failures.",
    TargetResult.DEVIATES_AS_RECORDED: "Nothing is new. To see the worst recorded deviation without this suite, run:",
    TargetResult.BROKEN_BEFORE: "Nothing broke since the baseline. Fix the worst cause, or record it as a deviation.",
    TargetResult.EXCUSED: "Read what the other nodes do under “What differs”: they are too often to blame.",
    TargetResult.DIFFERS: "Open the worst cause. For a bug report, write it as a script:",
    TargetResult.NOT_ASKED: "Declare in its adapter what the framework can do, or leave the target out of this run.",
    TargetResult.NOTHING_COMPARED: "Read the reasons under “Not compared”, and select checks that the target can run.",
    TargetResult.NOT_JUDGED: "Fix the adapter, then run, with --output as in this run:",
    TargetResult.NOT_FINISHED: "Continue the run: give its command again with --resume.",
    TargetResult.NOT_STARTED: "Fix the problem, then run again.",
}


def tree_of(summary: Summary) -> ReportTree:
    """The tree of a run."""
    header = summary.header
    finder = Drawing(rendered("finder.html.j2"))
    about = (
        f"{counted(summary.records, 'check')} on {counted(len(summary.targets), 'target')}, started {header.started}, "
        f"suite {header.suite.version} "
    )
    return replace(
        ending_of(summary),
        id="conformance",
        opening=[Sentence([about, Span(header.suite.digest[:12], SpanKind.CODE)], "meta")],
        alert="This run does not show conformance.",
        result=[Cards(cards(summary)), *_rates(summary)],
        sections=[
            _differences(summary),
            ReportSection(title="Find a check", id="checks", kind=SCRIPTED, blocks=[finder]),
            *([timing(summary)] if summary.timings else []),
            clauses(summary),
            disputes(summary),
            not_compared(summary),
            environment(summary),
        ],
    )


def _rates(summary: Summary) -> Iterable[ReportBlock]:
    names = [target.name for target in summary.targets]
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
        columns=columns("Operator", *names),
        rows=rows,
        footer=row("All operators", *(rate_cell(summary.counts(name), name, {}) for name in names)),
        caption=wording.DENOMINATORS,
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
                blocks=[Items(started), *([Items(others)] if others else [])],
                id=f"group-{section.value}",
                kind="group",
            )
        )
    unscripted = "Without its script the page shows the first case of each cause; the log has all of them."
    nothing = Sentence("Nothing: every compared check is as the spec requires, bit for bit.")
    return ReportSection(
        title="What differs, and why",
        id="differences",
        blocks=[
            Sentence(unscripted, "unscripted muted"),
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
    return ReportSection(title="All recorded deviations", about=about, blocks=[table], id="recorded")


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
