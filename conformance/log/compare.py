"""Compares two logs in one pass over each, by a short answer to each check."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from conformance.log.answers import (
    Answer,
    Aspect,
    Change,
    LoggedAnswers,
    LoggedRun,
    NamedLog,
    Pace,
    TargetPair,
    TimedChange,
    aspects_of,
    change_of,
    logged_run,
    old_names,
    pair_targets,
    read_answers,
    timed_change,
)
from conformance.log.causes import in_order, rank_of
from conformance.log.log_file import read_header, read_lines
from conformance.log.record import Header, Line, SelectionEntry, TargetEntry
from conformance.protocol.form import Form
from conformance.spec.operator import operator_order
from conformance.spec.verdict import ExitCode, Severity
from conformance.tensors.text import one_line, options_text

# Lists how two runs differ besides their answers: suite, selection, machine, and versions of targets.


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstance:
    """One fact that differs between two runs, besides the answers."""

    what: str
    old: str
    new: str


def circumstances_of(old: Header, new: Header, pairs: Iterable[TargetPair]) -> Iterator[Circumstance]:
    """The facts that differ between two runs; those of the targets come last."""
    yield from _differing_facts("", _facts_of_run(old), _facts_of_run(new))
    for pair in pairs:
        if pair.old is None or pair.new is None:
            here, there = ("", "in the run") if pair.old is None else ("in the run", "")
            yield Circumstance(what=one_line(pair.name), old=here, new=there)
        else:
            yield from _differing_facts(
                f"{one_line(pair.name)}: ", _facts_of_target(pair.old), _facts_of_target(pair.new)
            )


def _differing_facts(prefix: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Circumstance]:
    for name in dict.fromkeys([*old, *new]):
        before, after = old.get(name, ""), new.get(name, "")
        if before != after:
            yield Circumstance(what=one_line(prefix + name), old=one_line(before), new=one_line(after))


def _facts_of_run(header: Header) -> dict[str, str]:
    suite, machine, chosen = header.suite, header.machine, header.selection.chosen()
    return {
        "suite version": suite.version,
        "suite digest": suite.digest,
        **{f"selected {item.name}": chosen.get(item.name, "") for item in fields(SelectionEntry)},
        "checks planned for a target": str(header.planned),
        "time limit": f"{header.timeout_s:g} s",
        "system": machine.system,
        "processor": machine.processor,
        "cores": str(machine.cores),
        "Python": machine.python,
        "NumPy": machine.numpy,
    }


def _facts_of_target(target: TargetEntry) -> dict[str, str]:
    return {
        "name": target.name,
        "adapter": target.adapter,
        "framework": f"{target.framework} {target.version}".strip(),
        "options": options_text(target.options),
        "Python": target.python,
        "NumPy": target.numpy,
        "devices": ", ".join(target.devices),
        "instruction set": target.instruction_set,
        "operators": ", ".join(target.operators or ()),
        "types": ", ".join(target.dtypes or ()),
        "forms": ", ".join(target.forms or ()),
        **{f"detail {name}": value for name, value in target.details.items()},
    }


KEPT_PER_GROUP = 50
KEPT_IN_ALL = 5000
_MAX_GROUPS = 500
_MAX_CASE = 500
_OTHERS = "others"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeCell:
    """The number of checks by change, for one target and operator."""

    target: str
    operator: str
    counts: dict[Change, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckName:
    """A check within a target."""

    case: str
    form: Form


def check_name(case: str, form: Form) -> CheckName:
    """The name of a check, with an id of bounded length."""
    return CheckName(case=case[:_MAX_CASE], form=form)


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """Checks of one target that changed in the same way, and the names of the first ones.

    `old` and `new` are verdict and cause, empty if the run lacks the check. `aspects` are the respects that differ
    although the verdict is the same. `severity` is that of the new answer, before deviations are applied; for a check
    that improved or that only the old run has, it is that of the old answer. It is null if that answer is no deviation.
    """

    target: str
    change: Change
    severity: Severity | None
    old: str
    new: str
    aspects: tuple[Aspect, ...]
    count: int
    operators: dict[str, int]
    checks: tuple[CheckName, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The result of comparing two runs. `operators` stand in the order of every report."""

    old: LoggedRun
    new: LoggedRun
    circumstances: tuple[Circumstance, ...]
    targets: tuple[TargetPair, ...]
    operators: tuple[str, ...]
    cells: tuple[ChangeCell, ...]
    groups: tuple[ChangeGroup, ...]
    timed: tuple[TimedChange, ...] = ()

    @property
    def counts(self) -> Counter[Change]:
        """The number of checks by change, over all targets."""
        return sum((Counter(cell.counts) for cell in self.cells), Counter())


def compare_files(old: NamedLog, new: NamedLog) -> Comparison:
    """What changed between two logs.

    Raises:
        RunLogError: one of them cannot be read, or is not a log.
    """
    for log in (old, new):
        read_header(log.path)
    return compare(read_lines(old.path), read_lines(new.path), old_log=old, new_log=new)


_OLD, _NEW = (NamedLog(path=Path(name), name=name) for name in ("old", "new"))


def compare(
    old: Iterable[Line], new: Iterable[Line], *, old_log: NamedLog = _OLD, new_log: NamedLog = _NEW
) -> Comparison:
    """What changed between two logs, given as lines. If a check has several records, the first one counts."""
    before, after = read_answers(old), read_answers(new)
    pairs = pair_targets(before.summary.targets, after.summary.header.targets)
    named, changes = old_names(pairs), _Changes()
    left = dict(before.answers)
    for (target, case, form), answer in after.answers.items():
        changes.add(target, case, form, left.pop((named.get(target, target), case, form), None), answer)
    new_names = {old_name: new_name for new_name, old_name in named.items()}
    for (target, case, form), answer in left.items():
        changes.add(new_names.get(target, target), case, form, answer, None)
    operators = sorted({*after.summary.operators, *before.summary.operators}, key=operator_order)
    return Comparison(
        old=logged_run(before.summary, old_log),
        new=logged_run(after.summary, new_log),
        circumstances=tuple(circumstances_of(before.summary.header, after.summary.header, pairs)),
        targets=pairs,
        operators=tuple(operators),
        cells=changes.cells([pair.name for pair in pairs], operators),
        groups=changes.groups(),
        timed=tuple(_timed(before, after, named)),
    )


def _timed(before: LoggedAnswers, after: LoggedAnswers, named: Mapping[str, str]) -> Iterator[TimedChange]:
    """How the times of the cases that both runs timed changed; `named` has the old names of targets."""
    is_elsewhere = before.summary.header.machine != after.summary.header.machine
    for (target, case), later in after.times.items():
        earlier = before.times.get((named.get(target, target), case))
        if earlier is not None and min(earlier.median_ns, later.median_ns) > 0:
            timed = timed_change(one_line(target), one_line(case), earlier, later)
            yield replace(timed, pace=Pace.OTHER_MACHINE) if is_elsewhere else timed


def unsound_reasons(comparison: Comparison) -> tuple[str, ...]:
    """The reasons, one sentence each, why the comparison proves nothing; empty for a sound one."""
    sides = {"old": comparison.old, "new": comparison.new}
    reasons = [f"{name} run: {reason}" for name, side in sides.items() for reason in side.incomplete]
    if not any(count for change, count in comparison.counts.items() if change.is_in_both_runs):
        reasons.append("the two runs have no check in common")
    return tuple(reasons)


def exit_code(comparison: Comparison) -> ExitCode:
    """The exit code of the command: 3 if nothing can be concluded, else 1 if anything regressed, else 0."""
    if unsound_reasons(comparison):
        return ExitCode.HARNESS
    return ExitCode.NOT_CONFORMING if comparison.counts[Change.REGRESSED] else ExitCode.CONFORMING


_GroupKey = tuple[str, Change, Severity | None, str, str, tuple[Aspect, ...]]
"""The fields that the checks of a `ChangeGroup` have in common, in its order."""


class _Changes:
    """Counts changes of checks by target and operator, and gathers those that are alike."""

    def __init__(self) -> None:
        self._counts: defaultdict[tuple[str, str], Counter[Change]] = defaultdict(Counter)
        self._groups: defaultdict[_GroupKey, tuple[Counter[str], list[CheckName]]]
        self._groups = defaultdict(lambda: (Counter(), []))
        self._kept = 0

    def cells(self, targets: Sequence[str], operators: Sequence[str]) -> tuple[ChangeCell, ...]:
        """The changes by target and operator, in the order of these."""
        order = {name: number for number, name in enumerate(targets)}
        place = {operator: number for number, operator in enumerate(operators)}
        found = [
            ChangeCell(target=target, operator=operator, counts=in_order(Change, counts))
            for (target, operator), counts in self._counts.items()
        ]
        return tuple(sorted(found, key=lambda cell: (order.get(cell.target, len(order)), place.get(cell.operator, 0))))

    def groups(self) -> tuple[ChangeGroup, ...]:
        """Checks that changed in the same way, by change and severity; the worst and most frequent stand first."""
        order = list(Change)
        found = [
            ChangeGroup(*key, operators.total(), dict(operators), tuple(checks))
            for key, (operators, checks) in self._groups.items()
        ]
        return tuple(
            sorted(found, key=lambda group: (order.index(group.change), rank_of(group.severity), -group.count))
        )

    def add(self, target: str, case: str, form: Form, old: Answer | None, new: Answer | None) -> None:
        """Counts the change of one check; None stands for a run without it."""
        operator, change = case.partition("/")[0], change_of(old, new)
        self._counts[target, operator][change] += 1
        if change is Change.UNCHANGED:
            return
        texts = old.text if old else "", new.text if new else ""
        group: _GroupKey = (target, change, _severity(change, old, new), *texts, aspects_of(old, new))
        if group not in self._groups and len(self._groups) >= _MAX_GROUPS:
            group = (*group[:3], _OTHERS if old else "", _OTHERS if new else "", ())
        operators, checks = self._groups[group]
        operators[operator] += 1
        if len(checks) < KEPT_PER_GROUP and self._kept < KEPT_IN_ALL:
            checks.append(check_name(case, form))
            self._kept += 1


def _severity(change: Change, old: Answer | None, new: Answer | None) -> Severity | None:
    answer = old if new is None or change is Change.IMPROVED else new
    return answer.judged.meaning.severity if answer is not None else None
