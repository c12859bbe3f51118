"""The sentences about a comparison that all its reports share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from conformance.comparison.change import Change
from conformance.comparison.circumstance import Circumstance
from conformance.comparison.compare import ChangeGroup, Comparison, Side, exit_code
from conformance.comparison.targets import TargetPair
from conformance.comparison.timed import Pace, TimedChange
from conformance.spec.verdict import ExitCode
from conformance.values.text import counted, duration, one_line

SIGNS = {
    Change.REGRESSED: "✗",
    Change.NOT_JUDGED: "?",
    Change.NO_LONGER_DISPUTED: "≉",
    Change.NEWLY_DISPUTED: "≈",
    Change.CHANGED: "≠",
    Change.IMPROVED: "✓",
    Change.REMOVED: "-",
    Change.ADDED: "+",
    Change.UNCHANGED: "=",
}


def headline(comparison: Comparison) -> str:
    """Did anything get worse: one sentence."""
    counts = comparison.counts
    regressed = counts[Change.REGRESSED]
    if exit_code(comparison) is ExitCode.HARNESS:
        also = f"; {counted(regressed, 'check')} regressed" if regressed else ""
        return f"This comparison proves nothing{also}."
    improved = f", {counts[Change.IMPROVED]:,} improved" if counts[Change.IMPROVED] else ""
    return f"{counted(regressed, 'check') if regressed else 'No check'} regressed{improved}."


def counts_sentence(counts: Mapping[Change, int]) -> str:
    """`2 regressed, 410 unchanged`: whatever happened at all."""
    return ", ".join(f"{counts[change]:,} {change.value}" for change in Change if counts.get(change)) or "no check"


def target_counts(comparison: Comparison, target: str) -> Counter[Change]:
    """The changes of one target over all operators."""
    return sum((Counter(cell.counts) for cell in comparison.cells if cell.target == target), Counter())


def changes_met(comparison: Comparison) -> tuple[Change, ...]:
    """The kinds of change that happened, which are the columns of a table."""
    counts = comparison.counts
    return tuple(change for change in Change if counts[change])


def side_sentence(side: Side) -> str:
    """Which log it is."""
    return f"{side.log}, started {side.started}, suite {side.suite}, {counted(side.records, 'record')}"


def circumstance_sentence(circumstance: Circumstance) -> str:
    """`Python: 3.11.9 → 3.11.10`."""
    return f"{circumstance.what}: {circumstance.old or '(none)'} → {circumstance.new or '(none)'}"


def pairing_sentence(pair: TargetPair) -> str:
    """With whom a target is compared, where its name does not tell."""
    if pair.old is None:
        return "is in the new run only"
    if pair.new is None:
        return "is in the old run only"
    if pair.is_renamed:
        return f"is compared with {one_line(pair.old.name)}, the only one with the same adapter and options"
    return ""


def group_title(group: ChangeGroup) -> str:
    """What became of the checks of a group: `pass → wrong result: wrong axis`."""
    if not group.change.is_of_both or group.old == group.new:
        title = group.new or group.old
    else:
        title = f"{group.old} → {group.new}"
    differs = ", ".join(aspect.value for aspect in group.aspects)
    return one_line(f"{title} (differs in: {differs})" if differs else title)


def operators_text(group: ChangeGroup) -> str:
    """`onnx.Split-13 12, onnx.Split-18 4`."""
    return ", ".join(f"{one_line(operator, 60)} {count:,}" for operator, count in list(group.operators.items())[:8])


def timed_claimed(comparison: Comparison) -> tuple[TimedChange, ...]:
    """The timed cases that differ beyond noise, the slower ones first, each kind by how much."""
    slower = [change for change in comparison.timed if change.pace is Pace.SLOWER]
    faster = [change for change in comparison.timed if change.pace is Pace.FASTER]
    return (
        *sorted(slower, key=lambda change: -change.ratio),
        *sorted(faster, key=lambda change: change.ratio),
    )


def timed_change_sentence(change: TimedChange) -> str:
    """`onnx.Split-18/time-by-size[size=1MiB] on toy@1.0: 1.30 times as long as before (40.1 µs, was 30.8 µs)`."""
    where = f"{one_line(change.case, 200)} on {one_line(change.target, 100)}"
    times = f"{duration(change.new_ns)}, was {duration(change.old_ns)}"
    return f"{where}: {change.ratio:.2f} times as long as before ({times})"


def timed_sentence(comparison: Comparison) -> str:
    """What the steady times of all cases that both runs timed allow to say; empty where there are none."""
    if not comparison.timed:
        return ""
    counts = Counter(change.pace for change in comparison.timed)
    paces = "; ".join(f"{counts[pace]:,} {pace.value}" for pace in Pace if counts[pace])
    return f"Steady times of {counted(len(comparison.timed), 'timed case')}: {paces}."
