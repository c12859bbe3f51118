"""The sentences about a comparison that all its reports share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from conformance.findings.change import Change
from conformance.findings.compare import ChangeGroup, Comparison, exit_code
from conformance.findings.counts import in_order
from conformance.findings.logged_run import LoggedRun
from conformance.findings.targets import TargetPair
from conformance.findings.timed import Pace, TimedChange
from conformance.language.verdict import ExitCode, Severity
from conformance.report.document import Tone
from conformance.values.text import counted, duration, one_line

_MAX_OPERATORS = 8
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


def kind_word(severity: Severity | None) -> str:
    """The kind of a regression."""
    return severity.value if severity is not None else "no longer answered"


def kinds_text(kinds: Mapping[Severity | None, int] | Mapping[Severity, int]) -> str:
    """`memory errors: 12, wrong results: 3`."""
    return ", ".join(f"{kind_word(kind)}: {count:,}" for kind, count in kinds.items())


def kinds_sentence(comparison: Comparison, target: str) -> str:
    """The regressed checks of a target by kind; empty if there are none."""
    counts: Counter[Severity | None] = Counter()
    for group in comparison.groups:
        if group.change is Change.REGRESSED and target == group.target:
            counts[group.severity] += group.count
    return kinds_text(in_order((*Severity, None), counts))


def counts_sentence(counts: Mapping[Change, int]) -> str:
    """`2 regressed, 410 unchanged`: the changes that happened."""
    return ", ".join(f"{counts[change]:,} {change.value}" for change in Change if counts.get(change)) or "no check"


def target_counts(comparison: Comparison, target: str, operator: str | None = None) -> dict[Change, int]:
    """The changes of one target over all operators, or with one of them, the worst first."""
    cells = (cell for cell in comparison.cells if cell.target == target and operator in (None, cell.operator))
    return in_order(Change, sum((Counter(cell.counts) for cell in cells), Counter()))


def operators_by_change(comparison: Comparison) -> tuple[list[str], list[str]]:
    """The operators with a change on any target, and those with checks but without a change."""
    changed = {cell.operator for cell in comparison.cells if cell.counts.keys() - {Change.UNCHANGED}}
    unchanged = {cell.operator for cell in comparison.cells} - changed
    touched, quiet = ([name for name in comparison.operators if name in found] for found in (changed, unchanged))
    return touched, quiet


def side_sentence(side: LoggedRun) -> str:
    """Identifies a log: its path, start, suite and number of records."""
    return f"{side.log}, started {side.started}, suite {side.suite}, {counted(side.records, 'record')}"


def pairing_sentence(pair: TargetPair) -> str:
    """The target with which another is compared; empty if both have the same name."""
    if pair.old is None:
        return "is in the new run only"
    if pair.new is None:
        return "is in the old run only"
    if pair.old.name != pair.new.name:
        return f"is compared with {one_line(pair.old.name)}, the only one with the same adapter and options"
    return ""


def group_title(group: ChangeGroup) -> str:
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
    texts = [f"{count:,} of {one_line(operator, 60)}" for operator, count in names[:_MAX_OPERATORS]]
    more = [f"more of {counted(len(names) - _MAX_OPERATORS, 'operator')}"] if len(names) > _MAX_OPERATORS else []
    return f"{checks}: {', '.join([*texts, *more])}"


def timed_claimed(comparison: Comparison) -> tuple[TimedChange, ...]:
    """The timed cases that differ beyond noise, the slower ones first, each kind by how much."""
    by_ratio = sorted(comparison.timed, key=lambda change: change.ratio)
    slower = (change for change in reversed(by_ratio) if change.pace is Pace.SLOWER)
    return (*slower, *(change for change in by_ratio if change.pace is Pace.FASTER))


def timed_change_sentence(change: TimedChange) -> str:
    """`onnx.Split-18/time-by-size[size=1MiB] on toy@1.0: 1.30 times as long as before (40.1 µs, was 30.8 µs)`."""
    where = f"{one_line(change.case, 200)} on {one_line(change.target, 100)}"
    times = f"{duration(change.new_ns)}, was {duration(change.old_ns)}"
    return f"{where}: {change.ratio:.2f} times as long as before ({times})"


def timed_sentence(comparison: Comparison) -> str:
    """The number of timed cases by pace, over all cases that both runs timed."""
    counts = Counter(change.pace for change in comparison.timed)
    paces = "; ".join(f"{counts[pace]:,} {pace.value}" for pace in Pace if counts[pace])
    return f"Steady times of {counted(len(comparison.timed), 'timed case')}: {paces}."
