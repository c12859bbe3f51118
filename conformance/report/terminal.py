"""What a terminal shows: a tree, and the one screen of a run, in no more than 80 columns."""

from __future__ import annotations

import math
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import singledispatch
from io import StringIO
from itertools import chain

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column, Table
from rich.text import Text

from conformance.log.record import Header
from conformance.log.summary import Cause, Counts, Summary, TargetResult, result_of
from conformance.report import document as tree
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
    TableCell,
    TableColumn,
    Tone,
    left_out,
    plain_text,
    row,
)
from conformance.report.run_sections import RESULT_TONES, SIGNS, TIMING, ending_of, times_table, tone_of
from conformance.report.tensors import commands_of, filled, options_by_target
from conformance.spec.verdict import ExitCode, RateMark, Section
from conformance.tensors.text import counted, one_line, shortened, shortened_apart, visible

# Writes a tree to a terminal: it needs no colours, and no more than 80 columns.

_STYLES = {Tone.GOOD: "green", Tone.KNOWN: "yellow", Tone.BAD: "red", Tone.WARNING: "yellow", Tone.QUIET: "dim"}
_NAME, _TARGET = 60, 100
_MIN_NAME, _MIN_CELL = 24, 9
_ENDLESS = 100_000


def show(document: tree.ReportTree, console: Console | None = None) -> None:
    """Print a report, to standard output unless another console is given.

    The last lines alone explain the exit code: why nothing can be concluded, and the headline.
    """
    out = console or standard_output()
    blocks = [*document.opening, *document.result, *document.sections]
    _print(out, blocks)
    if blocks:
        out.print()
    if document.note:
        out.print(_plain(document.note), style="yellow")
    for reason in document.reasons:
        out.print(_plain(f"{document.reason}: {reason}"), style="yellow")
    code = document.exit_code
    style = {None: "bold", ExitCode.CONFORMING: "bold green", ExitCode.NOT_CONFORMING: "bold red"}
    ending = "" if code is None else f" (exit code {int(code)})"
    out.print(_plain(f"{document.headline}{ending}"), style=style.get(code, "bold yellow"))


def standard_output() -> Console:
    """Where lines are as wide as the terminal, or as long as they need to be where a program reads them."""
    return Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=_ENDLESS)


def lines_of(blocks: Iterable[tree.ReportBlock], width: int = _ENDLESS) -> list[str]:
    """A part of a report as lines, by default as long as they need to be."""
    stream = StringIO()
    _print(Console(file=stream, width=width, highlight=False, no_color=True), blocks)
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def _print(out: Console, blocks: Iterable[tree.ReportBlock], indent: int = 0) -> None:
    for block in blocks:
        _print_block(block, out, indent)


@singledispatch
def _print_block(block: tree.ReportBlock, out: Console, indent: int) -> None:
    raise TypeError(f"{out} cannot show {type(block).__name__} at {indent}")


@_print_block.register
def _(block: tree.Sentence, out: Console, indent: int) -> None:
    out.print(_indented(plain_text(block.text), indent), style=style_of(block.tone))


@_print_block.register
def _(block: tree.Details, out: Console, indent: int) -> None:
    line = " · ".join(filter(None, map(plain_text, (block.head, block.line))))
    out.print(_indented(line, indent), style=style_of(block.tone))
    _print(out, block.blocks, indent + 2)


@_print_block.register
def _(block: tree.Cards, out: Console, indent: int) -> None:
    for card in sorted(block.cards, key=lambda card: card.number):
        name = (shortened(card.name, _TARGET), "bold")
        says = (plain_text(card.sentence), style_of(card.tone))
        out.print(Text.assemble(f"[{card.number}] ", name, " ", says))
        _print(out, card.blocks, indent + 4)


@_print_block.register
def _(block: tree.Facts, out: Console, indent: int) -> None:
    for name, value in block.facts.items():
        if text := plain_text(value):
            out.print(_indented(f"{name}: {text}", indent))


@_print_block.register
def _(block: tree.ReportSection, out: Console, indent: int) -> None:
    if not indent:
        out.print()
    title, about = plain_text(block.title), plain_text(block.about)
    if title:
        out.print(_indented(f"{title}. {about}" if about else title, indent), style="bold")
    _print(out, block.blocks, indent + 2 if title else indent)


@_print_block.register
def _(block: tree.ShellCommand, out: Console, indent: int) -> None:
    out.print(_plain(" " * indent + block.text), soft_wrap=True)


@_print_block.register
def _(items: tree.Items, out: Console, indent: int) -> None:
    for item in items.items[: items.few]:
        _print(out, [item if isinstance(item, tree.Details) else tree.Sentence(item)], indent)
    if more := left_out(items, min(items.few, len(items.items))):
        out.print(_indented(more, indent))


@_print_block.register
def _(table: tree.Table, out: Console, _: int) -> None:
    """A table needs all the room, and is not indented."""
    rows = table.rows[: table.few]
    every = [*rows, table.footer] if table.footer is not None else rows
    num_columns = len(table.columns) - 1
    a_row = _num_fitting(out, every) if table.kind == "matrix" else num_columns
    for start in range(0, num_columns, max(1, a_row)):
        out.print(_one_table(out, table, rows, range(start + 1, min(start + a_row, num_columns) + 1)))
    if more := left_out(table, len(rows)):
        out.print(f"  {more}")
    if table.caption:
        out.print(_plain(table.caption), style="dim")


def _one_table(out: Console, table: tree.Table, rows: Sequence[tree.TableRow], places: range) -> Table:
    is_exact = table.kind == "numbers"  # its numbers have no blank where a line could end
    widths = {n: max(_MIN_CELL, _width(row.cells[n] for row in rows)) if is_exact else _MIN_CELL for n in places}
    room = out.width - sum(width + 2 for width in widths.values()) - 3 if is_exact else _NAME
    names = shortened_apart([plain_text(row.cells[0].text) for row in rows], max(_MIN_NAME, room))
    footer = table.footer.cells if table.footer is not None and len(rows) > 1 else None
    columns = (
        Column(
            _plain(column.short or column.name),
            footer="" if footer is None else _cell(footer[place]),
            justify="right" if place and column.is_number else "left",
            min_width=widths.get(place),
            no_wrap=not place,
            overflow="fold" if place else "ellipsis",
        )
        for place, column in ((place, table.columns[place]) for place in (0, *places))
    )
    edges = None if table.kind == "screen" else box.SIMPLE_HEAD
    shown = Table(*columns, box=edges, pad_edge=False, padding=(0, 1, 0, 0), show_footer=footer is not None)
    for name, found in zip(names, rows, strict=True):
        shown.add_row(_plain(name), *(_cell(found.cells[n]) for n in places))
    return shown


def _num_fitting(out: Console, rows: Sequence[tree.TableRow]) -> int:
    """The number of columns that fit side by side."""
    first = max((len(shortened(plain_text(row.cells[0].text), _NAME)) for row in rows), default=0)
    width = max([_MIN_CELL, *(_width(row.cells[1:]) for row in rows)])
    return max(1, (out.width - first - 2) // (width + 1))


def _width(cells: Iterable[tree.TableCell]) -> int:
    return max((len(line) for cell in cells for line in _cell(cell).plain.splitlines()), default=0)


def _cell(cell: tree.TableCell) -> Text:
    """The text, and below it the notes, each on one unbroken line."""
    notes = (plain_text(note.text).replace(" ", "\N{NO-BREAK SPACE}") for note in cell.notes)
    return Text.assemble((plain_text(cell.text), style_of(cell.tone)), *(f"\n{note}" for note in notes))


def style_of(tone: Tone | None) -> str:
    """The style of a tone in rich's words; empty for none."""
    return "" if tone is None else _STYLES[tone]


def _plain(text: str) -> Text:
    """Text without markup; control characters have no effect."""
    return Text(visible(text, len(text)))


def _indented(text: str, columns: int) -> Padding:
    return Padding(_plain(text), (0, 0, 0, columns), expand=False)


# Progress on standard error: a bar for each target of a run, lines where no terminal shows them, and a line while
# reports are written.

_LINE_EACH_S = 10.0


class Bars:
    """The bars of one run."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}

    def start(self, header: Header) -> None:
        """Show a bar for each target that could start."""
        for target in header.targets:
            if not target.problem:
                self._tasks[target.name] = self._progress.add_task(one_line(target.name), total=header.planned)

    def expect(self, name: str, total: int | None) -> None:
        """Show a bar for further work, such as timed cases; without a total if it is unknown."""
        self._tasks[name] = self._progress.add_task(one_line(name), total=total)

    def advance(self, name: str, done: int) -> None:
        """Show how many checks of a target, or timed cases, are done."""
        if name in self._tasks:
            self._progress.update(self._tasks[name], completed=done)


@contextmanager
def progress_bars(*, is_shown: bool) -> Iterator[Bars]:
    """Bars that are drawn while the context is open, and stay when it ends; lines where there is no terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    has_lines = is_shown and not console.is_terminal
    with (
        Progress(*columns, console=console, disable=has_lines or not is_shown) as progress,
        lines_of_progress(lambda: _line(progress), is_shown=has_lines),
    ):
        yield Bars(progress)


def _line(progress: Progress) -> str:
    tasks = (f"{task.description}: {task.completed:,.0f} of {task.total or 0:,.0f}" for task in progress.tasks)
    return "; ".join(tasks) or "starting"


@contextmanager
def lines_of_progress(line: Callable[[], str], *, is_shown: bool = True) -> Iterator[None]:
    """While the context is open, print what has been done by then every ten seconds."""
    has_ended = threading.Event()

    def say() -> None:
        while not has_ended.wait(_LINE_EACH_S):
            sys.stderr.write(f"{visible(line(), 2000)}\n")
            sys.stderr.flush()

    thread = threading.Thread(target=say, daemon=True)
    if is_shown:
        thread.start()
    try:
        yield
    finally:
        has_ended.set()
        if is_shown:
            thread.join()


@contextmanager
def step_line(*, is_shown: bool) -> Iterator[Callable[[str], None]]:
    """A line with the step that runs and the time so far, on a terminal only; it is gone when the context ends.

    Yields the function that names the next step.
    """
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    is_disabled = not (is_shown and console.is_terminal)
    with Progress(*columns, console=console, transient=True, disable=is_disabled) as progress:
        task = progress.add_task("")
        yield lambda step: progress.update(task, description=one_line(step), refresh=True)


# What a terminal shows of a run: one screen of 80 columns, with the result at its end.

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


def _tables(summary: Summary, room: int) -> Iterator[tree.Table]:
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
    yield tree.Table(
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
