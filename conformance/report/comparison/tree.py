"""A comparison of two runs as a tree: what changed, by target, kind and operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

from conformance.findings.change import Change
from conformance.findings.compare import ChangeGroup, CheckName, Comparison, exit_code, unsound_reasons
from conformance.findings.logged_run import LoggedRun
from conformance.findings.targets import old_names
from conformance.report.comparison import wording
from conformance.report.comparison.wording import SIGNS, TONES, counts_sentence, target_counts
from conformance.report.document import (
    Cards,
    Details,
    Items,
    ReportSection,
    ReportTree,
    ResultCard,
    Sentence,
    Span,
    SpanKind,
    Table,
    TableCell,
    TableColumn,
    Text,
    Tone,
    columns,
    row,
)
from conformance.report.links import check_fragment, report_link
from conformance.values.text import counted

_MAX_OPERATORS = 60
_MAX_CIRCUMSTANCES = 20
_MAX_CHECKS = 3


def tree_of(comparison: Comparison, page: Path | None = None) -> ReportTree:
    """The tree; `page` is the place from which it links to the reports of both runs."""
    counts = comparison.counts
    changed = [change for change in Change if counts[change] and change is not Change.UNCHANGED]
    return ReportTree(
        product="Compared runs",
        headline=wording.headline(comparison),
        exit_code=exit_code(comparison),
        opening=(_side("old", comparison.old, page), _side("new", comparison.new, page)),
        alert="Why nothing can be concluded",
        reason="not comparable",
        reasons=tuple(unsound_reasons(comparison)),
        result=(Cards([_card(comparison, number) for number in range(1, len(comparison.targets) + 1)]),),
        sections=(
            *(_change(comparison, change, page) for change in changed),
            ReportSection(title="By operator", id="operators", blocks=[*_operators(comparison)]),
            ReportSection(title="What differs between the runs", id="runs", blocks=[_circumstances(comparison)]),
            *_times(comparison),
        ),
    )


def _side(name: str, side: LoggedRun, page: Path | None) -> Sentence:
    link = report_link(side.report, page)
    report = (", ", Span("its report", link=link)) if link else ()
    return Sentence((f"{name}: ", Span(wording.side_sentence(side), limit=600), *report), kind="meta")


def _card(comparison: Comparison, number: int) -> ResultCard:
    pair = comparison.targets[number - 1]
    counts = target_counts(comparison, pair.name)
    worst = next(iter(counts), None)
    kinds, how = wording.kinds_sentence(comparison, pair.name), wording.pairing_sentence(pair)
    return ResultCard(
        number=number,
        name=pair.name,
        sign=SIGNS[worst] if worst else "?",
        tone=TONES.get(worst, Tone.QUIET) if worst else Tone.QUIET,
        sentence=counts_sentence(counts),
        blocks=[
            *([Sentence([Span("Regressed by kind:", SpanKind.STRONG), f" {kinds}"])] if kinds else []),
            *([Sentence(f"It {how}.", kind="muted")] if how else []),
        ],
    )


def _change(comparison: Comparison, change: Change, page: Path | None) -> ReportSection:
    """The groups of a change; those that regressed under the kind of each, all others under no heading."""
    groups = [group for group in comparison.groups if group.change is change]
    count = counted(sum(group.count for group in groups), "check")
    blocks: list[Items | ReportSection] = []
    if change is not Change.REGRESSED:
        blocks.append(Items([_group(comparison, group, page) for group in groups], noun="group"))
    else:
        for kind, found in groupby(groups, lambda group: group.severity):
            own = list(found)
            details = [_group(comparison, group, page, is_open=not blocks and group is own[0]) for group in own]
            name = wording.kind_word(kind).capitalize()
            number = counted(sum(group.count for group in own), "check")
            title = (f"{name}: ", Span(number, SpanKind.MUTED))
            blocks.append(ReportSection(title=title, blocks=[Items(details, noun="group")]))
    return ReportSection(
        title=[Span(SIGNS[change], SpanKind.SIGN), f" {change.value.capitalize()}: {count}"],
        about=change.about,
        id=change.value.replace(" ", "-"),
        blocks=blocks,
    )


def _group(comparison: Comparison, group: ChangeGroup, page: Path | None, *, is_open: bool = False) -> Details:
    checks = [_check(comparison, group, check, page) for check in group.checks]
    return Details(
        head=wording.group_title(group),
        line=[Span(group.target, SpanKind.NAME), " ", Span(wording.checks_sentence(group), SpanKind.MUTED)],
        blocks=[Items(checks, few=_MAX_CHECKS, more=group.count - len(checks))],
        is_open=is_open,
        tone=TONES.get(group.change),
    )


def _check(comparison: Comparison, group: ChangeGroup, check: CheckName, page: Path | None) -> Text:
    is_old = not group.new
    side = comparison.old if is_old else comparison.new
    target = old_names(comparison.targets).get(group.target, group.target) if is_old else group.target
    link = report_link(side.report, page)
    return named_check(check, target, link)


def named_check(check: CheckName, target: str, report: str) -> Text:
    """A check, with a link into the report of its run if there is one."""
    link = f"{report}{check_fragment(check.case, check.form, target)}" if report else ""
    return [Span(check.case, SpanKind.CASE, link=link), " ", Span(f"({check.form.value})", SpanKind.MUTED)]


def _operators(comparison: Comparison) -> Iterator[Table | Details]:
    touched, quiet = wording.operators_by_change(comparison)
    if touched:
        yield _table(comparison, touched, has_footer=True)
    if quiet:
        table = _table(comparison, quiet, has_footer=not touched)
        yield Details(head=f"Unchanged: {counted(len(quiet), 'operator')}", blocks=[table], kind="unchanged")


def _table(comparison: Comparison, operators: list[str], *, has_footer: bool) -> Table:
    targets = [pair.name for pair in comparison.targets]
    footer = row("All operators", *(_cell(target_counts(comparison, target)) for target in targets))
    return Table(
        name="Changes by operator and target",
        columns=[
            TableColumn("Operator"),
            *(TableColumn(name, f"[{number}]") for number, name in enumerate(targets, 1)),
        ],
        rows=[
            row(
                Span(operator, SpanKind.CODE),
                *(_cell(target_counts(comparison, name, operator)) for name in targets),
            )
            for operator in operators
        ],
        footer=footer if has_footer else None,
        few=_MAX_OPERATORS,
        kind="matrix",
    )


def _cell(counts: Mapping[Change, int]) -> TableCell:
    """The worst change with its sign, and below it the others."""
    if not counts:
        return TableCell(Span("not run", SpanKind.MUTED), is_rate=True)
    (worst, number), *others = counts.items()
    notes = [TableCell(f"{count:,} {change.value}", tone=TONES.get(change)) for change, count in others]
    text = (Span(SIGNS[worst], SpanKind.SIGN), f" {number:,} {worst.value}")
    return TableCell(text, notes, TONES.get(worst, Tone.QUIET), is_rate=True)


def _circumstances(comparison: Comparison) -> Table | Sentence:
    found = comparison.circumstances
    if not found:
        return Sentence("Suite, selection, machine and targets are the same in both runs.")
    return Table(
        name="What differs between the runs",
        columns=columns("What", "Old", "New"),
        rows=[row(one.what, one.old or "—", one.new or "—") for one in found],
        few=_MAX_CIRCUMSTANCES,
    )


def _times(comparison: Comparison) -> Iterator[ReportSection]:
    if comparison.timed:
        claimed = wording.timed_claimed(comparison)
        changes: list[Text] = [
            [Span(change.pace.value, SpanKind.STRONG), ": ", Span(wording.timed_change_sentence(change), limit=600)]
            for change in claimed
        ]
        items = [Items(changes, few=_MAX_CIRCUMSTANCES)] if changes else []
        yield ReportSection(title="Times", id="times", blocks=[Sentence(wording.timed_sentence(comparison)), *items])
