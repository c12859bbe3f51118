"""The report on a terminal: which targets conform, the new differences, and the reason for the exit code.

It suits the log file of a CI job as well as a screen: it needs no colours and no more than 80 columns.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from itertools import groupby

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from conformance.findings.causes import Cause, detail_of
from conformance.findings.counts import Counts
from conformance.findings.summary import Summary, exit_code, harness_reasons, result_of
from conformance.language.verdict import ExitCode
from conformance.log.record import TargetEntry
from conformance.report import wording
from conformance.report.sections import cause_groups, operator_rows, part_sentence
from conformance.report.timing import TimedCase, notable_cases, timed_cases, times_copy_text
from conformance.values.text import counted, one_line, shortened, shortened_apart, visible

_DETAILED_CAUSES = 12
"""So many causes of a group name cases; the others have one line."""
_MAX_CASES = 2
_MAX_TIMED_CASES = 12
_MIN_CASE_WIDTH = 24
_MIN_CELL_WIDTH = 9


def show(summary: Summary, console: Console | None = None) -> None:
    """Print the report, to standard output unless another console is given."""
    out = console or terminal()
    targets = summary.targets
    for number, target in enumerate(targets, 1):
        out.print(_target_line(summary, number, target))
    started = [(number, target) for number, target in enumerate(targets, 1) if not target.problem]
    if started:
        _print_counts(summary, started, out)
    _print_times(summary, out)
    names = {target.name for _, target in started}
    for group in cause_groups(summary):
        causes = [cause for cause in group.causes if cause.target in names]
        if not causes:
            continue  # the reason why a target could not start is printed below
        out.print()
        checks = counted(sum(cause.count for cause in causes), "check")
        out.print(plain(f"{group.title}: {checks}. {group.about}"), style="bold")
        is_brief = group.id in ("known", "before", "neighbours")
        for number, cause in enumerate(causes):
            num_cases = 0 if is_brief or number >= _DETAILED_CAUSES else _MAX_CASES
            _print_cause(summary, cause, out, num_cases, style="" if is_brief else "red")
    if part := part_sentence(summary.header.selection):
        out.print()
        out.print(plain(part), style="yellow")
    reasons = (f"not judged: {reason}" for reason in harness_reasons(summary))
    print_ending(out, reasons, wording.headline(summary), exit_code(summary))


def _print_counts(summary: Summary, targets: Sequence[tuple[int, TargetEntry]], out: Console) -> None:
    """Print the counts of the targets that could start, and a legend of the words in them."""
    a_row = _num_columns(summary, out.width)
    for start in range(0, len(targets), a_row):
        out.print(_matrix(summary, targets[start : start + a_row]))
    out.print(plain(wording.DENOMINATORS), style="dim")
    met = {mark for _, target in targets for mark in wording.marks(summary.counts(target.name))}
    for mark, text in wording.MARKS.items():
        if mark in met:
            words = dict.fromkeys((wording.short_word(mark), mark.value, text.sentence))
            out.print(indented(": ".join(words), 2), style="dim")


def _target_line(summary: Summary, number: int, target: TargetEntry) -> Text:
    colour = result_of(summary, target).colour
    return Text.assemble(
        f"[{number}] ",
        (shortened(target.name, 100), "bold"),
        " ",
        (one_line(wording.target_sentence(summary, target), 600), colour if colour in ("green", "red") else "yellow"),
    )


def _num_columns(summary: Summary, width: int) -> int:
    """The number of targets that fit side by side."""
    operator_width = max((len(shortened(operator, 60)) for operator in operator_rows(summary)), default=0)
    cells = [_cell(summary.counts(target.name)) for target in summary.targets]
    cell_width = max([_MIN_CELL_WIDTH, *(len(line) for cell in cells for line in cell.plain.splitlines())])
    return max(1, (width - operator_width - 2) // (cell_width + 1))


def _matrix(summary: Summary, targets: Sequence[tuple[int, TargetEntry]]) -> Table:
    operators = Column("operator", footer="all operators", no_wrap=True)
    rows = operator_rows(summary)
    table = ruled_table(operators, show_footer=len(rows) > 1)
    for number, target in targets:
        name = shortened(target.name.partition("[")[0].partition("@")[0], 24)
        footer = _cell(summary.counts(target.name))
        table.add_column(plain(f"[{number}] {name}"), footer=footer, min_width=_MIN_CELL_WIDTH, overflow="fold")
    for operator, versions in rows.items():
        counts = (summary.counts_of(versions, target.name) for _, target in targets)
        table.add_row(plain(shortened(operator, 60)), *map(_cell, counts))
    return table


def _cell(counts: Counts) -> Text:
    """The rate, and below it the marks, each on one unbroken line."""
    marks = [mark.replace(" ", "\N{NO-BREAK SPACE}") for mark in wording.short_marks(counts)]
    style = "red" if counts.deviating else "yellow" if counts.excused else "green" if counts.compared else "dim"
    return Text.assemble((wording.rate(counts), style), *(f"\n{mark}" for mark in marks))


def _print_times(summary: Summary, out: Console) -> None:
    """Print the times against a plain copy, for the largest data and for the most parts; nothing without times."""
    cases = [case for operator in summary.operators for case in notable_cases(timed_cases(summary, operator))]
    if not cases:
        return
    shown = cases[:_MAX_TIMED_CASES]
    rows = [(case.case.partition("/")[2], _times_cells(summary, case)) for case in shown]
    widths = [max(len(cell) for cell in column) for column in zip(*(cells for _, cells in rows), strict=True)]
    room = max(_MIN_CASE_WIDTH, out.width - sum(width + 2 for width in widths) - 3)
    table = ruled_table(Column(plain("steady time / plain copy"), no_wrap=True))
    for number, width in enumerate(widths, 1):
        table.add_column(plain(f"[{number}]"), justify="right", min_width=width)
    for operator, group in groupby(zip(shown, rows, strict=True), key=lambda row: row[0].case.partition("/")[0]):
        table.add_row(plain(shortened(operator, room)))
        members = [row for _, row in group]
        names = shortened_apart([name for name, _ in members], room - 2)
        for name, (_, cells) in zip(names, members, strict=True):
            table.add_row(plain(f"  {name}"), *cells)
    out.print(table)
    if len(cases) > _MAX_TIMED_CASES:
        out.print(f"  and {counted(len(cases) - _MAX_TIMED_CASES, 'further case')} in the other reports")


def _times_cells(summary: Summary, case: TimedCase) -> list[str]:
    by_target = {record.target: times_copy_text(record) for record in case.records}
    return [by_target.get(target.name, "—") for target in summary.targets]


def _print_cause(summary: Summary, cause: Cause, out: Console, num_cases: int, style: str) -> None:
    number = next(n for n, target in enumerate(summary.targets, 1) if target.name == cause.target)
    title = shortened(wording.cause_title(summary, cause), 200)
    name = f" ({shortened(cause.deviation, 80)})" if cause.deviation else ""
    head = f"{wording.cause_kind(cause)} [{number}] {counted(cause.count, 'check')}: {title}{name}"
    out.print(indented(head, 2), style=style)
    for record in cause.records[:num_cases]:
        out.print(indented(f"--case {shlex.quote(one_line(record.case, 200))} --form {record.form.value}", 4))
        explanation = detail_of(cause, record, 200)
        if explanation:
            out.print(indented(explanation, 6), style="dim")
    if num_cases and cause.count > num_cases:
        out.print(indented(f"and {cause.count - num_cases:,} more", 4))


def terminal() -> Console:
    """Standard output."""
    return Console(highlight=False)


def plain(text: str, style: str = "") -> Text:
    """Text without markup; control characters have no effect."""
    return Text(visible(text, len(text)), style)


def ruled_table(*columns: Column | str, show_footer: bool = False) -> Table:
    """A table with a rule below its head."""
    return Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_footer=show_footer)


def print_ending(out: Console, reasons: Iterable[str], sentence: str, code: ExitCode) -> None:
    """Print the last lines, which alone explain the exit code: why nothing can be concluded, and the result."""
    out.print()
    for reason in reasons:
        out.print(plain(reason), style="yellow")
    style = {ExitCode.CONFORMING: "bold green", ExitCode.NOT_CONFORMING: "bold red"}.get(code, "bold yellow")
    out.print(plain(f"{sentence} (exit code {int(code)})"), style=style)


def indented(text: str, columns: int) -> Padding:
    """Text with all its lines indented alike."""
    return Padding(plain(text), (0, 0, 0, columns), expand=False)
