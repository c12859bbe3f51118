"""What a terminal shows of a run: one screen of 80 columns, with the result at its end."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from rich.console import Console
from rich.text import Text

from conformance.log.causes import Cause, Counts
from conformance.log.record import TargetEntry
from conformance.log.summary import Summary, TargetResult, exit_code, harness_reasons, result_of
from conformance.report import wording
from conformance.report.document import Tone
from conformance.report.run_sections import RESULT_TONES, SIGNS, tone_of
from conformance.report.tensors import commands_of, filled, options_by_target
from conformance.report.terminal import print_blocks, standard_output, style_of
from conformance.report.timing import timing
from conformance.spec.verdict import ExitCode, RateMark, Section
from conformance.tensors.text import counted, shortened, visible

_LINES, _COLUMNS = 50, 80
_MOST_ROWS, _MOST_CAUSES, _MOST_COLUMNS, _MOST_FIXED = 25, 10, 4, 3
_MOST_NAMED, _LINES_OF_CAUSES = 4, 22
_UNJUDGED = (Section.NOT_JUDGED, Section.NEW)
_ScreenLine = Text | str
"""A sentence, which wraps at words, or a command, which stays whole."""


def show_run(summary: Summary, *, lists_known: bool = False, console: Console | None = None) -> None:
    """Print the screen of a run, to standard output unless another console is given.

    `lists_known` adds a line for each recorded deviation that was met, in place of their number.
    """
    out = console or standard_output()
    top = [_target_line(summary, number, target) for number, target in enumerate(summary.targets, 1)]
    rest = [
        *_after_blank(_causes(summary)),
        *_after_blank([*_fixed(summary), *_known(summary, lists_known=lists_known), *_uncounted(summary)]),
    ]
    end = [*_result(summary)]
    room = _LINES - sum(map(_height, (*top, *rest, *end))) - 5
    for line in (*top, *_after_blank(_table(summary, room, out.width)), *rest):
        _print(out, line)
    if summary.timings:
        print_blocks([timing(summary)], out)
    out.print()
    for line in end:
        _print(out, line)


def show_result(summary: Summary, console: Console | None = None) -> None:
    """Print the last lines alone: why nothing can be concluded, and the result with its exit code."""
    out = console or standard_output()
    for line in _result(summary):
        _print(out, line)


def next_command(summary: Summary) -> str:
    """The command that writes a script of the worst new difference; empty if there is none."""
    news = (cause for cause in summary.causes if cause.verdict.meaning.section is Section.NEW)
    return next((command for cause in news if (command := _command(summary, cause))), "")


def _result(summary: Summary) -> Iterator[Text]:
    if part := wording.part_of_suite(summary):
        yield _sentence(part, Tone.WARNING)
    for reason in harness_reasons(summary):
        yield _sentence(f"not judged: {reason}", Tone.WARNING)
    code = exit_code(summary)
    style = {ExitCode.CONFORMING: "bold green", ExitCode.NOT_CONFORMING: "bold red"}
    yield Text(f"{wording.headline(summary)} (exit code {int(code)})", style.get(code, "bold yellow"))


def _target_line(summary: Summary, number: int, target: TargetEntry) -> Text:
    result, counts = result_of(summary, target), summary.counts(target.name)
    sentence = wording.target_sentence(summary, target)
    if result in (TargetResult.CONFORMS, TargetResult.DEVIATES_AS_RECORDED, TargetResult.DIFFERS) and counts.compared:
        more = [f"{count:,} {mark.value}" for mark, count in _differing(counts).items()]
        sentence = ", ".join([f"{result.value}: {wording.rate(counts)}", *more])
    name = shortened(visible(target.name, 200), 50)
    return Text.assemble(
        f"[{number}] ", (name, "bold"), " ", (visible(sentence, len(sentence)), style_of(RESULT_TONES[result.colour]))
    )


def _differing(counts: Counts) -> Mapping[RateMark, int]:
    """The marks of a line that has room for no more than what differs."""
    shown = (RateMark.NEW, RateMark.FIXED, RateMark.NOT_JUDGED, RateMark.BROKEN_BEFORE, RateMark.KNOWN)
    return {mark: count for mark, count in wording.marks(counts).items() if mark in shown}


def _table(summary: Summary, room: int, width: int) -> list[Text]:
    """A row an operator name and a cell a target, what has something new first; nothing beyond four targets."""
    names = [target.name for target in summary.targets]
    if not names or len(names) > _MOST_COLUMNS or room < 1:
        return []
    rows = [
        (operator, [summary.counts_of(versions, name) for name in names])
        for operator, versions in summary.families.items()
    ]
    if not rows:
        return []
    rows.sort(key=lambda row: min(map(_urgency, row[1])))
    most = min(_MOST_ROWS, max(2, room))
    if len(rows) > most:
        others = [counts for _, counts in rows[most - 1 :]]
        rows[most - 1 :] = [(f"{len(others)} others", [sum(column, Counts()) for column in zip(*others, strict=True)])]
    titles = [f"[{number}]" for number in range(1, len(names) + 1)]
    first = max(len(name) for name, _ in rows)
    is_narrow = first + len(names) * (_longest(rows) + 1) > min(width, _COLUMNS)
    cells = [[_cell(counts, is_narrow=is_narrow) for counts in of] for _, of in rows]
    widest = max(len(cell.plain) for row in cells for cell in row)
    lines = [Text(" ".join([" " * first, *(f"{title:{widest}}" for title in titles)]).rstrip(), "dim")]
    for (name, _), row in zip(rows, cells, strict=True):
        line = Text(f"{visible(name, 100):{first}}")
        for cell in row:
            line.append(" ")
            line.append(cell)
            line.append(" " * (widest - len(cell.plain)))
        line.rstrip()
        lines.append(line)
    return lines


def _longest(rows: Sequence[tuple[str, Sequence[Counts]]]) -> int:
    return max(len(_cell(counts, is_narrow=False).plain) for _, of in rows for counts in of)


def _cell(counts: Counts, *, is_narrow: bool) -> Text:
    """`✗ 168/244 1 new`; if there is little room, `✗ 1 new`."""
    if not counts.total:
        return Text("not run", "dim")
    tone, marks = tone_of(counts), wording.marks(counts)
    new = [f"{marks[mark]:,} {mark.value}" for mark in (RateMark.NEW, RateMark.NOT_JUDGED) if mark in marks]
    parts = [SIGNS.get(tone, ""), *([] if new and is_narrow else [wording.rate(counts)]), *new]
    return Text(" ".join(filter(None, parts)), style_of(tone))


def _urgency(counts: Counts) -> int:
    """0 of an operator with something new, 1 of one with something known, 2 of the others."""
    if counts.deviating or counts.where(Section.NOT_JUDGED).total:
        return 0
    return 1 if counts.excused else 2


def _causes(summary: Summary) -> Iterator[_ScreenLine]:
    """The new failures by cause, and below each the command for its first check."""
    causes = [cause for cause in summary.causes if cause.verdict.meaning.section in _UNJUDGED]
    started = {target.name for target in summary.targets if not target.problem}
    causes = [cause for cause in causes if cause.target in started]
    height = 0
    for place, cause in enumerate(causes):
        where = _where(summary, cause)
        lines: list[_ScreenLine] = [_sentence(f"{cause.verdict.value} {where}: {shortened(cause.text, 160)}", Tone.BAD)]
        if command := _command(summary, cause):
            lines.append(f"  {command}")
        height += sum(map(_height, lines))
        if place == _MOST_CAUSES or (place and height > _LINES_OF_CAUSES):
            yield _sentence(f"and {counted(len(causes) - place, 'more cause')}: the report has them")
            return
        yield from lines


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


def _fixed(summary: Summary) -> Iterator[Text]:
    sentences = list(chain.from_iterable(wording.fixed_sentences(summary, target) for target in summary.targets))
    yield from map(_sentence, sentences[:_MOST_FIXED])
    if len(sentences) > _MOST_FIXED:
        yield _sentence(f"and {len(sentences) - _MOST_FIXED:,} more records that are fixed: the report has them")


def _known(summary: Summary, *, lists_known: bool) -> Iterator[Text]:
    for section, title in ((Section.BEFORE, "Broken before"), (Section.KNOWN, "Known deviations")):
        causes = [cause for cause in summary.causes if cause.verdict.meaning.section is section]
        kinds = {(cause.target, cause.deviation or cause.text) for cause in causes}
        checks = counted(sum(cause.count for cause in causes), "check")
        how = "; --known lists them" if section is Section.KNOWN and not lists_known else ""
        if causes:
            yield _sentence(f"{title}: {checks} of {counted(len(kinds), 'kind')}{how}", Tone.KNOWN)
        if lists_known:
            for cause in causes:
                by = f" ({cause.deviation})" if cause.deviation else ""
                title_of = wording.cause_title(summary, cause)
                yield _sentence(f"  {wording.worst_judged(cause).value} {_where(summary, cause)}: {title_of}{by}")


def _uncounted(summary: Summary) -> Iterator[Text]:
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
        yield _sentence("Not compared: " + ", ".join(f"{count:,} {mark.value}" for mark, count in shown.items()))
    for dialect, of in undeclared.items():
        yield _sentence(f"Not declared of {visible(dialect, 40)}: {'; '.join(of)}")


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


def _after_blank(lines: Iterable[_ScreenLine]) -> list[_ScreenLine]:
    """The lines below an empty one, if there are any."""
    found = list(lines)
    return ["", *found] if found else []


def _sentence(text: str, tone: Tone | None = None) -> Text:
    return Text(visible(text, len(text)), style_of(tone))


def _height(line: _ScreenLine) -> int:
    return max(1, math.ceil(len(str(line)) / _COLUMNS))


def _print(out: Console, line: _ScreenLine) -> None:
    out.print(Text(line) if isinstance(line, str) else line, soft_wrap=isinstance(line, str))
