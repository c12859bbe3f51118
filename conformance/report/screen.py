"""What a terminal shows of a run: one screen of 80 columns, with the result at its end."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from conformance.log.causes import Cause, Counts
from conformance.log.summary import Summary, TargetResult, result_of
from conformance.report import wording
from conformance.report.document import (
    ALL,
    Cards,
    Details,
    Items,
    ReportBlock,
    ReportSection,
    ReportTree,
    ResultCard,
    Sentence,
    ShellCommand,
    Table,
    TableCell,
    TableColumn,
    Tone,
    row,
)
from conformance.report.run_sections import RESULT_TONES, SIGNS, TIMING, ending_of, times_table, tone_of
from conformance.report.tensors import commands_of, filled, options_by_target
from conformance.report.terminal import lines_of
from conformance.spec.verdict import RateMark, Section
from conformance.tensors.text import counted, shortened, visible

_LINES, _COLUMNS = 50, 80
_MOST_ROWS, _MOST_CAUSES, _MOST_COLUMNS, _MOST_FIXED = 25, 10, 4, 3
_MOST_NAMED, _LINES_OF_CAUSES = 4, 22
_UNJUDGED = (Section.NOT_JUDGED, Section.NEW)


def screen_of(summary: Summary, *, lists_known: bool = False) -> ReportTree:
    """The screen of a run.

    `lists_known` adds a line for each recorded deviation that was met, in place of their number.
    """
    end = ending_of(summary)
    targets = Cards([_card(summary, number) for number in range(1, len(summary.targets) + 1)])
    lower = (_causes(summary), chain(_fixed(summary), _known(summary, lists_known=lists_known), _uncounted(summary)))
    rest = [ReportSection(title="", blocks=blocks) for part in lower if (blocks := [*part])]
    lines = [Sentence(text) for text in (end.note, *end.reasons, end.headline) if text]
    room = _LINES - _height([targets, *rest, *lines]) - 5
    upper = [ReportSection(title="", blocks=[table]) for table in _tables(summary, room)]
    times = [ReportSection(title=TIMING, blocks=[times_table(summary, is_narrow=True)])] if summary.timings else []
    return replace(end, result=[targets], sections=[*upper, *rest, *times])


def next_command(summary: Summary) -> str:
    """The command that writes a script of the worst new difference; empty if there is none."""
    news = (cause for cause in summary.causes if cause.verdict.meaning.section is Section.NEW)
    return next((command for cause in news if (command := _command(summary, cause))), "")


def _card(summary: Summary, number: int) -> ResultCard:
    target = summary.targets[number - 1]
    result, counts = result_of(summary, target), summary.counts(target.name)
    sentence = wording.target_sentence(summary, target)
    if result in (TargetResult.CONFORMS, TargetResult.DEVIATES_AS_RECORDED, TargetResult.DIFFERS) and counts.compared:
        more = [f"{count:,} {mark.value}" for mark, count in _differing(counts).items()]
        sentence = ", ".join([f"{result.value}: {wording.rate(counts)}", *more])
    name, tone = shortened(visible(target.name, 200), 50), RESULT_TONES[result.colour]
    return ResultCard(number=number, name=name, sign=result.sign, tone=tone, sentence=sentence)


def _differing(counts: Counts) -> Mapping[RateMark, int]:
    """The marks of a line that has room for no more than what differs."""
    shown = (RateMark.NEW, RateMark.FIXED, RateMark.NOT_JUDGED, RateMark.BROKEN_BEFORE, RateMark.KNOWN)
    return {mark: count for mark, count in wording.marks(counts).items() if mark in shown}


def _tables(summary: Summary, room: int) -> Iterator[Table]:
    """A row an operator name and a cell a target, what has something new first; nothing beyond four targets."""
    names = [target.name for target in summary.targets]
    if not names or len(names) > _MOST_COLUMNS or room < 1:
        return
    rows = [
        (operator, [summary.counts_of(versions, name) for name in names])
        for operator, versions in summary.families.items()
    ]
    if not rows:
        return
    rows.sort(key=lambda row: min(map(_urgency, row[1])))
    most = min(_MOST_ROWS, max(2, room))
    if len(rows) > most:
        others = [counts for _, counts in rows[most - 1 :]]
        rows[most - 1 :] = [(f"{len(others)} others", [sum(column, Counts()) for column in zip(*others, strict=True)])]
    first = max(len(name) for name, _ in rows)
    widest = max(len(str(_cell_of_counts(counts, is_narrow=False).text)) for _, of in rows for counts in of)
    is_narrow = first + len(names) * (widest + 1) > _COLUMNS
    yield Table(
        name="Operators",
        columns=[TableColumn(""), *(TableColumn(f"[{number}]") for number in range(1, len(names) + 1))],
        rows=[row(name, *(_cell_of_counts(counts, is_narrow=is_narrow) for counts in of)) for name, of in rows],
        few=ALL,
        kind="screen",
    )


def _cell_of_counts(counts: Counts, *, is_narrow: bool) -> TableCell:
    """`✗ 168/244 1 new`; if there is little room, `✗ 1 new`."""
    if not counts.total:
        return TableCell("not run", tone=Tone.QUIET)
    tone, marks = tone_of(counts), wording.marks(counts)
    new = [f"{marks[mark]:,} {mark.value}" for mark in (RateMark.NEW, RateMark.NOT_JUDGED) if mark in marks]
    parts = [SIGNS.get(tone, ""), *([] if new and is_narrow else [wording.rate(counts)]), *new]
    return TableCell(" ".join(filter(None, parts)), tone=tone)


def _urgency(counts: Counts) -> int:
    """0 of an operator with something new, 1 of one with something known, 2 of the others."""
    if counts.deviating or counts.where(Section.NOT_JUDGED).total:
        return 0
    return 1 if counts.excused else 2


def _causes(summary: Summary) -> Iterator[ReportBlock]:
    """The new failures by cause, and below each the command for its first check."""
    causes = [cause for cause in summary.causes if cause.verdict.meaning.section in _UNJUDGED]
    started = {target.name for target in summary.targets if not target.problem}
    causes = [cause for cause in causes if cause.target in started]
    height = 0
    for place, cause in enumerate(causes):
        command = _command(summary, cause)
        entry = Details(
            head=f"{cause.verdict.value} {_where(summary, cause)}: {shortened(cause.text, 160)}",
            blocks=[ShellCommand(command)] if command else [],
            tone=Tone.BAD,
        )
        height += _height([entry])
        if place == _MOST_CAUSES or (place and height > _LINES_OF_CAUSES):
            yield Sentence(f"and {counted(len(causes) - place, 'more cause')}: the report has them")
            return
        yield entry


def _where(summary: Summary, cause: Cause) -> str:
    """`[2] 14 checks of onnx.Split-13 and 2 more`."""
    number = [target.name for target in summary.targets].index(cause.target) + 1
    return f"[{number}] {wording.extent_in_operators(cause)}"


def _command(summary: Summary, cause: Cause) -> str:
    if not cause.records:
        return ""
    target = next(target for target in summary.targets if target.name == cause.target)
    *_, command = commands_of(target).values()
    return filled(command, cause.records[0], options_by_target(summary)[cause.target])


def _fixed(summary: Summary) -> Iterator[ReportBlock]:
    sentences = list(chain.from_iterable(wording.fixed_sentences(summary, target) for target in summary.targets))
    yield from map(Sentence, sentences[:_MOST_FIXED])
    if len(sentences) > _MOST_FIXED:
        yield Sentence(f"and {len(sentences) - _MOST_FIXED:,} more records that are fixed: the report has them")


def _known(summary: Summary, *, lists_known: bool) -> Iterator[ReportBlock]:
    for section, title in ((Section.BEFORE, "Broken before"), (Section.KNOWN, "Known deviations")):
        causes = [cause for cause in summary.causes if cause.verdict.meaning.section is section]
        kinds = {(cause.target, cause.deviation or cause.text) for cause in causes}
        checks = counted(sum(cause.count for cause in causes), "check")
        how = "; --known lists them" if section is Section.KNOWN and not lists_known else ""
        lines = [_known_line(summary, cause) for cause in causes] if lists_known else []
        if causes:
            head = f"{title}: {checks} of {counted(len(kinds), 'kind')}{how}"
            yield Details(head=head, tone=Tone.KNOWN, blocks=[Items(lines, few=ALL)])


def _known_line(summary: Summary, cause: Cause) -> str:
    by = f" ({cause.deviation})" if cause.deviation else ""
    title = wording.cause_title(summary, cause)
    return f"{wording.worst_judged(cause).value} {_where(summary, cause)}: {title}{by}"


def _uncounted(summary: Summary) -> Iterator[ReportBlock]:
    """What was not compared as one line, and what is not declared as a line a dialect."""
    marks: defaultdict[RateMark, int] = defaultdict(int)
    undeclared: defaultdict[str, list[str]] = defaultdict(list)
    for number, target in enumerate(summary.targets, 1):
        for mark, count in wording.marks(summary.counts(target.name)).items():
            marks[mark] += count
        for dialect, names in _undeclared(summary, target.name).items():
            undeclared[dialect].append(f"[{number}] {names}")
    shown = {
        mark: count
        for mark, count in marks.items()
        if wording.MARKS[mark].tone is Tone.QUIET and mark not in (RateMark.NOT_DECLARED, RateMark.LOWERED)
    }
    if shown:
        yield Sentence("Not compared: " + ", ".join(f"{count:,} {mark.value}" for mark, count in shown.items()))
    for dialect, of in undeclared.items():
        yield Sentence(f"Not declared of {visible(dialect, 40)}: {'; '.join(of)}")


def _undeclared(summary: Summary, target: str) -> dict[str, str]:
    """The operator names of which a target declares no check, by dialect: all, their number, or their names."""
    by_dialect: defaultdict[str, dict[str, bool]] = defaultdict(dict)
    for operator, versions in summary.families.items():
        dialect, _, name = operator.partition(".")
        counts = summary.counts_of(versions, target)
        declared = counts.total - wording.marks(counts).get(RateMark.NOT_DECLARED, 0)
        by_dialect[dialect][name] = bool(declared) or not counts.total
    found = {}
    for dialect, names in by_dialect.items():
        lacking = [visible(name, 40) for name, is_declared in names.items() if not is_declared]
        if lacking:
            few = ", ".join(lacking) if len(lacking) <= _MOST_NAMED else f"{len(lacking)} of {len(names)} operators"
            found[dialect] = "all" if len(lacking) == len(names) else few
    return found


def _height(blocks: Sequence[ReportBlock]) -> int:
    return sum(max(1, math.ceil(len(line) / _COLUMNS)) for line in lines_of(blocks))
