"""A comparison on a terminal: the changes per target and operator, and the reason for the exit code."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.findings.change import Change
from conformance.findings.compare import ChangeGroup, Comparison, exit_code, unsound_reasons
from conformance.report.comparison import wording
from conformance.report.terminal import indented, plain, print_ending, ruled_table, terminal
from conformance.values.text import counted, one_line, shortened

_MAX_GROUPS = 12
_MAX_TIMED = 20
_MAX_CHECKS = 3
_MAX_CIRCUMSTANCES = 20
_STYLES = {Change.REGRESSED: "red", Change.IMPROVED: "green", Change.NOT_JUDGED: "yellow", Change.UNCHANGED: "dim"}


def show(comparison: Comparison, console: Console | None = None) -> None:
    """Print the comparison, to standard output unless another console is given."""
    out = console or terminal()
    out.print(plain(f"old: {wording.side_sentence(comparison.old)}"))
    out.print(plain(f"new: {wording.side_sentence(comparison.new)}"))
    _print_circumstances(comparison, out)
    for number, pair in enumerate(comparison.targets, 1):
        sentence = wording.counts_sentence(wording.target_counts(comparison, pair.name))
        out.print(plain(f"[{number}] {shortened(pair.name, 100)} {sentence}", "bold"))
        if how := wording.pairing_sentence(pair):
            out.print(indented(how, 4))
    out.print(_table(comparison))
    for change in wording.changes_met(comparison):
        _print_change(comparison, change, out)
    if comparison.timed:
        out.print()
        out.print(plain(wording.timed_sentence(comparison)))
    for timed in wording.timed_claimed(comparison)[:_MAX_TIMED]:
        out.print(indented(f"{timed.pace.value}: {wording.timed_change_sentence(timed)}", 2))
    reasons = (f"not comparable: {reason}" for reason in unsound_reasons(comparison))
    print_ending(out, reasons, wording.headline(comparison), exit_code(comparison))


def _print_circumstances(comparison: Comparison, out: Console) -> None:
    found = comparison.circumstances
    if found:
        out.print(plain("not the same in both runs:"), style="yellow")
    for circumstance in found[:_MAX_CIRCUMSTANCES]:
        out.print(indented(wording.circumstance_sentence(circumstance), 2))
    if len(found) > _MAX_CIRCUMSTANCES:
        out.print(f"  and {len(found) - _MAX_CIRCUMSTANCES:,} more")


def _table(comparison: Comparison) -> Table:
    changes = wording.changes_met(comparison)
    numbers = {pair.name: f"[{number}]" for number, pair in enumerate(comparison.targets, 1)}
    table = ruled_table(show_footer=len(comparison.cells) > 1)
    table.add_column("operator", footer="all", no_wrap=True)
    for change in changes:
        table.add_column(plain(change.value), footer=_count(change, comparison.counts[change]), justify="right")
    for cell in comparison.cells:
        name = plain(f"{numbers.get(cell.target, '[?]')} {shortened(cell.operator, 60)}")
        table.add_row(name, *(_count(change, cell.counts.get(change, 0)) for change in changes))
    return table


def _count(change: Change, count: int) -> Text:
    return plain(f"{count:,}", _STYLES.get(change, "")) if count else plain("·", "dim")


def _print_change(comparison: Comparison, change: Change, out: Console) -> None:
    groups = [group for group in comparison.groups if group.change is change]
    if not groups:
        return
    out.print()
    count = counted(sum(group.count for group in groups), "check")
    out.print(plain(f"{change.value}: {count}. {change.about}"), style="bold")
    if change is Change.REGRESSED:
        out.print(plain(f"By kind: {wording.kinds_sentence(comparison)}."), style="bold")
    for group in groups[:_MAX_GROUPS]:
        _print_group(group, out, num_checks=_MAX_CHECKS if change.is_of_both else 0)
    if len(groups) > _MAX_GROUPS:
        out.print(f"  and {counted(len(groups) - _MAX_GROUPS, 'further group')}")


def _print_group(group: ChangeGroup, out: Console, num_checks: int) -> None:
    title = shortened(wording.group_title(group), 200)
    head = f"{shortened(group.target, 60)} {counted(group.count, 'check')}: {title}"
    out.print(indented(head, 2), style=_STYLES.get(group.change, ""))
    for check in group.checks[:num_checks]:
        out.print(indented(f"{one_line(check.case, 200)} ({check.form.value})", 4))
    if num_checks and group.count > num_checks:
        out.print(indented(f"and {group.count - num_checks:,} more", 4))
