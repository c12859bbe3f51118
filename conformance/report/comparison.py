"""A comparison of two runs: its sentences, its tree for all readers, and its JSON document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Literal

from conformance.log.answers import Change, LoggedRun, Pace, TargetPair, TimedChange, old_names
from conformance.log.compare import ChangeGroup, CheckName, Comparison, exit_code, unsound_reasons
from conformance.log.summary import in_order
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
from conformance.report.wording import check_fragment, report_link
from conformance.report.writers import JsonDocument
from conformance.spec.verdict import ExitCode, Severity
from conformance.tensors.text import counted, duration, one_line

# The sentences about a comparison that all its reports share.

_MAX_NAMED_OPERATORS = 8
SIGNS = {
    Change.REGRESSED: "✗",
    Change.NOT_JUDGED: "?",
    Change.NO_LONGER_DISPUTED: "≉",
    Change.NEWLY_DISPUTED: "≈",
    Change.CHANGED: "≠",
    Change.IMPROVED: "✓",
    Change.ASKED_DIFFERENTLY: "±",
    Change.SAME_FAULT: "≡",
    Change.UNCHANGED: "=",
}
TONES = {
    Change.REGRESSED: Tone.BAD,
    Change.NOT_JUDGED: Tone.WARNING,
    Change.CHANGED: Tone.KNOWN,
    Change.IMPROVED: Tone.GOOD,
}


def headline(comparison: Comparison) -> str:
    """One sentence: whether any check regressed."""
    counts = comparison.counts
    regressed = counts[Change.REGRESSED]
    if exit_code(comparison) is ExitCode.HARNESS:
        also = f"; {counted(regressed, 'check')} regressed" if regressed else ""
        return f"Nothing can be concluded{also}."
    improved = f", {counts[Change.IMPROVED]:,} improved" if counts[Change.IMPROVED] else ""
    return f"{counted(regressed, 'check') if regressed else 'No check'} regressed{improved}."


def _kinds(comparison: Comparison, target: str) -> str:
    """The regressed checks of a target by kind, `wrong results: 3`; empty if there are none."""
    counts: Counter[Severity | None] = Counter()
    for group in comparison.groups:
        if group.change is Change.REGRESSED and target == group.target:
            counts[group.severity] += group.count
    return ", ".join(f"{_kind(kind)}: {count:,}" for kind, count in in_order((*Severity, None), counts).items())


def _kind(severity: Severity | None) -> str:
    return severity.value if severity is not None else "no longer answered"


def _counts(comparison: Comparison, target: str, operator: str | None = None) -> dict[Change, int]:
    """The changes of one target over all operators, or with one of them, the worst first."""
    cells = (cell for cell in comparison.cells if cell.target == target and operator in (None, cell.operator))
    return in_order(Change, sum((Counter(cell.counts) for cell in cells), Counter()))


def _pairing(pair: TargetPair) -> str:
    """The target with which another is compared; empty if both have the same name."""
    if pair.old is None:
        return "is in the new run only"
    if pair.new is None:
        return "is in the old run only"
    if pair.old.name != pair.new.name:
        return f"is compared with {one_line(pair.old.name)}, the only one with the same adapter and options"
    return ""


def _group_title(group: ChangeGroup) -> str:
    """The change of the checks of a group: `pass → wrong result: wrong axis`."""
    if not group.change.is_in_both_runs:
        title = f"only in the {'new' if group.new else 'old'} run: {group.new or group.old}"
    else:
        title = group.new if group.old == group.new else f"{group.old} → {group.new}"
    differs = ", ".join(aspect.value for aspect in group.aspects)
    return one_line(f"{title} (differs in: {differs})" if differs else title)


def checks_sentence(group: ChangeGroup) -> str:
    """`16 checks: 12 of onnx.Split-13, 4 of onnx.Split-18`."""
    checks, names = counted(group.count, "check"), list(group.operators.items())
    if len(names) == 1:
        return f"{checks} of {one_line(names[0][0], 60)}"
    texts = [f"{count:,} of {one_line(operator, 60)}" for operator, count in names[:_MAX_NAMED_OPERATORS]]
    if len(names) > len(texts):
        texts.append(f"more of {counted(len(names) - len(texts), 'operator')}")
    return f"{checks}: {', '.join(texts)}"


# A comparison of two runs as a tree: what changed, by target, kind and operator.

_MAX_OPERATORS = 60
_MAX_CIRCUMSTANCES = 20
_MAX_CHECKS = 3


def tree_of(comparison: Comparison, page: Path | None = None) -> ReportTree:
    """The tree; `page` is the place from which it links to the reports of both runs."""
    counts = comparison.counts
    changed = [change for change in Change if counts[change] and change is not Change.UNCHANGED]
    return ReportTree(
        product="Compared runs",
        headline=headline(comparison),
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
    about = f"{side.log}, started {side.started}, suite {side.suite}, {counted(side.records, 'record')}"
    return Sentence((f"{name}: ", Span(about, limit=600), *report), kind="meta")


def _card(comparison: Comparison, number: int) -> ResultCard:
    pair = comparison.targets[number - 1]
    counts = _counts(comparison, pair.name)
    worst = next(iter(counts), None)
    kinds, how = _kinds(comparison, pair.name), _pairing(pair)
    return ResultCard(
        number=number,
        name=pair.name,
        sign=SIGNS[worst] if worst else "?",
        tone=TONES.get(worst, Tone.QUIET) if worst else Tone.QUIET,
        sentence=", ".join(f"{count:,} {change.value}" for change, count in counts.items()) or "no check",
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
            name = _kind(kind).capitalize()
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
        head=_group_title(group),
        line=[Span(group.target, SpanKind.NAME), " ", Span(checks_sentence(group), SpanKind.MUTED)],
        blocks=[Items(checks, few=_MAX_CHECKS, more=group.count - len(checks))],
        is_open=is_open,
        tone=TONES.get(group.change),
    )


def _check(comparison: Comparison, group: ChangeGroup, check: CheckName, page: Path | None) -> Text:
    is_old = not group.new
    side = comparison.old if is_old else comparison.new
    target = old_names(comparison.targets).get(group.target, group.target) if is_old else group.target
    report = report_link(side.report, page)
    link = f"{report}{check_fragment(check.case, check.form, target)}" if report else ""
    return [Span(check.case, SpanKind.CASE, link=link), " ", Span(f"({check.form.value})", SpanKind.MUTED)]


def _operators(comparison: Comparison) -> Iterator[Table | Details]:
    """The operators with a change on any target, and those with checks but without a change."""
    changed = {cell.operator for cell in comparison.cells if cell.counts.keys() - {Change.UNCHANGED}}
    unchanged = {cell.operator for cell in comparison.cells} - changed
    touched, quiet = ([name for name in comparison.operators if name in found] for found in (changed, unchanged))
    if touched:
        yield _table(comparison, touched, has_footer=True)
    if quiet:
        table = _table(comparison, quiet, has_footer=not touched)
        yield Details(head=f"Unchanged: {counted(len(quiet), 'operator')}", blocks=[table], kind="unchanged")


def _table(comparison: Comparison, operators: list[str], *, has_footer: bool) -> Table:
    targets = [pair.name for pair in comparison.targets]
    footer = row("All operators", *(_cell(_counts(comparison, target)) for target in targets))
    return Table(
        name="Changes by operator and target",
        columns=[
            TableColumn("Operator"),
            *(TableColumn(name, f"[{number}]") for number, name in enumerate(targets, 1)),
        ],
        rows=[
            row(
                Span(operator, SpanKind.CODE),
                *(_cell(_counts(comparison, name, operator)) for name in targets),
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
    """The timed cases by pace, and those that differ beyond noise: the slower ones first, each kind by how much."""
    if not comparison.timed:
        return
    counts = Counter(change.pace for change in comparison.timed)
    paces = "; ".join(f"{counts[pace]:,} {pace.value}" for pace in Pace if counts[pace])
    about = Sentence(f"Steady times of {counted(len(comparison.timed), 'timed case')}: {paces}.")
    slower = sorted((one for one in comparison.timed if one.pace is Pace.SLOWER), key=lambda one: -one.ratio)
    faster = sorted((one for one in comparison.timed if one.pace is Pace.FASTER), key=lambda one: one.ratio)
    items = [Items([_timed(change) for change in (*slower, *faster)], few=_MAX_CIRCUMSTANCES)]
    yield ReportSection(title="Times", id="times", blocks=[about, *(items if slower or faster else [])])


def _timed(change: TimedChange) -> Text:
    """`slower: onnx.Split-18/time-by-size on toy@1.0: 1.30 times as long as before (40.1 µs, was 30.8 µs)`."""
    where = f"{one_line(change.case, 200)} on {one_line(change.target, 100)}"
    times = f"{duration(change.new_ns)}, was {duration(change.old_ns)}"
    sentence = f": {where}: {change.ratio:.2f} times as long as before ({times})"
    return [Span(change.pace.value, SpanKind.STRONG), Span(sentence, limit=600)]


# A comparison as JSON for programs, with a published schema.


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonDocument:
    """What changed between two runs. `reasons` say why nothing can be concluded, where `exit_code` is 3."""

    format: Literal[1] = 1
    headline: str
    exit_code: ExitCode
    reasons: list[str]
    comparison: Comparison


COMPARISON = JsonDocument(ComparisonDocument, "What changed between two opconform runs")


def render_comparison(found: Comparison) -> bytes:
    """The comparison as JSON."""
    document = ComparisonDocument(
        headline=headline(found), exit_code=exit_code(found), reasons=list(unsound_reasons(found)), comparison=found
    )
    return COMPARISON.rendered(document)
