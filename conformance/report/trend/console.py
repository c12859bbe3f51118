"""A trend on a terminal: a line for each target and run, and what changed in the newest."""

from __future__ import annotations

from rich.console import Console
from rich.table import Column

from conformance.findings.trend import Trend, TrendTarget
from conformance.report.terminal import indented, plain, ruled_table, terminal
from conformance.report.trend import wording
from conformance.values.text import counted, one_line, shortened

_MAX_RUNS = 12
_MAX_CAUSES = 8


def show(trend: Trend, console: Console | None = None) -> None:
    """Print the trend, to standard output unless another console is given."""
    out = console or terminal()
    for unread in trend.unread[:_MAX_RUNS]:
        out.print(plain(f"not read: {shortened(unread.log, 200)} {unread.why}"), style="yellow")
    if len(trend.unread) > _MAX_RUNS:
        out.print(f"and {counted(len(trend.unread) - _MAX_RUNS, 'further file')} not read")
    for target in trend.targets:
        _print_target(trend, target, out)
    out.print()
    out.print(plain(wording.headline(trend)), style="bold")


def _print_target(trend: Trend, target: TrendTarget, out: Console) -> None:
    out.print()
    out.print(plain(shortened(target.name, 100), "bold"))
    table = ruled_table(Column("run", no_wrap=True), "framework", Column("conforming", justify="right"), "changes")
    for point in target.points[-_MAX_RUNS:]:
        changes = "; ".join([wording.change_sentence(point), *wording.notes(trend, target, point)])
        texts = (wording.when(trend.runs[point.run]), wording.framework_text(point), wording.rate_text(point), changes)
        table.add_row(*(plain(shortened(text, 160)) for text in texts))
    out.print(table)
    for point in wording.events(trend, target)[:1]:
        for shift in point.causes[:_MAX_CAUSES]:
            kind = f"{shift.movement.value}: {wording.shift_kind(shift)}, {wording.shift_counts(shift)}"
            out.print(indented(f"{kind}: {shortened(wording.shift_title(shift), 160)}", 2))
            for check in shift.checks[:1]:
                out.print(indented(f"{one_line(check.case, 200)} ({check.form.value})", 4))
        more = len(point.causes) - _MAX_CAUSES + point.more_causes
        if more > 0:
            out.print(indented(f"and {counted(more, 'further cause')}", 2))
