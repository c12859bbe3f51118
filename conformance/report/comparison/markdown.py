"""A comparison for a pull request, in GitHub's Markdown; all foreign text is escaped and bounded."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.findings.change import Change
from conformance.findings.compare import ChangeGroup, Comparison, unsound_reasons
from conformance.report.comparison import wording
from conformance.report.markdown import bounded, code, escaped
from conformance.values.text import counted

_MAX_GROUPS = 40
_MAX_TIMED = 100
_MAX_CHECKS = 5
_MAX_CIRCUMSTANCES = 30


def render_markdown(comparison: Comparison) -> str:
    """The comparison, short enough for a job summary or a comment on GitHub."""
    return bounded(_parts(comparison))


def _parts(comparison: Comparison) -> Iterator[str]:
    yield f"## Compared runs: {escaped(wording.headline(comparison))}\n\n"
    for reason in unsound_reasons(comparison):
        yield f"> **Not comparable:** {escaped(reason, 600)}\n>\n"
    if kinds := wording.kinds_sentence(comparison):
        yield f"Regressed by kind: {kinds}.\n"
    yield f"\n- old: {escaped(wording.side_sentence(comparison.old), 600)}\n"
    yield f"- new: {escaped(wording.side_sentence(comparison.new), 600)}\n"
    for number, pair in enumerate(comparison.targets, 1):
        sentence = wording.counts_sentence(wording.target_counts(comparison, pair.name))
        how = wording.pairing_sentence(pair)
        yield f"- **[{number}]** {code(pair.name)} {sentence}{f'; {escaped(how)}' if how else ''}\n"
    for change in wording.changes_met(comparison):
        groups = [group for group in comparison.groups if group.change is change]
        if groups:
            yield from _change(change, groups)
    yield from _table(comparison)
    yield from _circumstances(comparison)
    if comparison.timed:
        yield f"\n{escaped(wording.timed_sentence(comparison))}\n\n"
    for timed in wording.timed_claimed(comparison)[:_MAX_TIMED]:
        yield f"- **{timed.pace.value}**: {escaped(wording.timed_change_sentence(timed), 600)}\n"


def _table(comparison: Comparison) -> Iterator[str]:
    changes = wording.changes_met(comparison)
    numbers = {pair.name: f"[{number}]" for number, pair in enumerate(comparison.targets, 1)}
    yield f"\n### By operator\n\n| | operator |{''.join(f' {change.value} |' for change in changes)}\n"
    yield f"|---|---|{'---:|' * len(changes)}\n"
    for cell in comparison.cells:
        counts = "".join(f" {cell.counts[change]:,} |" if change in cell.counts else " |" for change in changes)
        yield f"| {numbers.get(cell.target, '')} | {code(cell.operator, 100)} |{counts}\n"


def _change(change: Change, groups: list[ChangeGroup]) -> Iterator[str]:
    checks = counted(sum(group.count for group in groups), "check")
    yield f"\n### {wording.SIGNS[change]} {change.value}: {checks}\n\n{change.about}\n\n"
    for group in groups[:_MAX_GROUPS]:
        kind = f"**{wording.kind_word(group.severity)}**, " if change is Change.REGRESSED else ""
        yield f"- {kind}{counted(group.count, 'check')} on {code(group.target)}: {code(wording.group_title(group))}\n"
        shown = group.checks[:_MAX_CHECKS] if change.is_of_both else ()
        yield from (f"  - {code(check.case, 200)} ({check.form.value})\n" for check in shown)
        if shown and group.count > len(shown):
            yield f"  - and {group.count - len(shown):,} more\n"
    if len(groups) > _MAX_GROUPS:
        yield f"- and {counted(len(groups) - _MAX_GROUPS, 'further group')}\n"


def _circumstances(comparison: Comparison) -> Iterator[str]:
    found = comparison.circumstances
    if found:
        yield "\n### Not the same in both runs\n\n"
    for circumstance in found[:_MAX_CIRCUMSTANCES]:
        yield f"- {escaped(wording.circumstance_sentence(circumstance), 600)}\n"
    if len(found) > _MAX_CIRCUMSTANCES:
        yield f"- and {len(found) - _MAX_CIRCUMSTANCES:,} more\n"
