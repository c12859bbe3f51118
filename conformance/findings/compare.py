"""Compares two logs in one pass over each: keeps a short answer for each old check, then streams the new log."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from conformance.border.form import Form
from conformance.findings.causes import rank_of
from conformance.findings.change import Answer, Aspect, Change, aspects_of, change_of
from conformance.findings.circumstance import Circumstance, circumstances_of
from conformance.findings.counts import in_order
from conformance.findings.logged_run import LoggedRun, logged_run
from conformance.findings.named_log import NamedLog
from conformance.findings.summary import Summary, summarize
from conformance.findings.targets import TargetPair, old_names, pair_targets
from conformance.findings.timed import Pace, TimedChange, timed_change
from conformance.language.operator import operator_order
from conformance.language.verdict import ExitCode, Severity
from conformance.log.log_file import read_header, read_lines
from conformance.log.record import CheckRecord, Header, Line, TimeEntry, TimingRecord
from conformance.values.text import one_line

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


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """Checks of one target that changed in the same way, and the names of the first ones.

    `old` and `new` are verdict and cause, empty if the run lacks the check. `aspects` are the respects that differ
    although the verdict is the same. `severity` is that of the new answer, before deviations are applied, or of the old
    one for what improved or was removed; null if that answer is no deviation.
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
    earlier = _Earlier()
    before = summarize(noting(old, earlier.note))
    tally = _Comparing(before, earlier)
    after = summarize(noting(new, tally.note))
    tally.end()
    operators = tuple(sorted({*after.operators, *before.operators}, key=operator_order))
    is_elsewhere = before.header.machine != after.header.machine
    return Comparison(
        old=logged_run(before, old_log),
        new=logged_run(after, new_log),
        circumstances=tuple(circumstances_of(before.header, after.header, tally.pairs)),
        targets=tally.pairs,
        operators=operators,
        cells=tally.cells(operators),
        groups=tally.groups(),
        timed=tuple(replace(timed, pace=Pace.OTHER_MACHINE) if is_elsewhere else timed for timed in tally.timed),
    )


def unsound_reasons(comparison: Comparison) -> tuple[str, ...]:
    """The reasons, one sentence each, why the comparison proves nothing; empty for a sound one."""
    sides = {"old": comparison.old, "new": comparison.new}
    reasons = [f"{name} run: {reason}" for name, side in sides.items() for reason in side.incomplete]
    if not any(count for change, count in comparison.counts.items() if change.is_of_both):
        reasons.append("the two runs have no check in common")
    return tuple(reasons)


def exit_code(comparison: Comparison) -> ExitCode:
    """The exit code of the command: 3 if nothing can be concluded, else 1 if anything regressed, else 0."""
    if unsound_reasons(comparison):
        return ExitCode.HARNESS
    return ExitCode.NOT_CONFORMING if comparison.counts[Change.REGRESSED] else ExitCode.CONFORMING


_AnswerKey = tuple[str, str, Form]
_GroupKey = tuple[str, Change, Severity | None, str, str, tuple[Aspect, ...]]
"""The fields that the checks of a `ChangeGroup` have in common, in its order."""


def noting(lines: Iterable[Line], note: Callable[[Line, Header], None]) -> Iterator[Line]:
    """The lines; each is noted, with the header of its log, before it is passed on."""
    header: Header | None = None
    for line in lines:
        header = line if isinstance(line, Header) else header
        if header is not None:
            note(line, header)
        yield line


def answer_of(record: CheckRecord, header: Header) -> Answer:
    """The answer of a record, with interned texts to save memory."""
    names = ("cause", "interpretation", "deviation", "lowered", "ran_on")
    texts = {name: sys.intern(one_line(getattr(record, name))) for name in names}
    is_disputed = record.case.partition("[")[0] in header.suite.disputes
    return Answer(
        verdict=record.verdict, judged=record.judged, is_disputed=is_disputed, outputs=record.outputs, **texts
    )


class _Earlier:
    """Keeps an answer for each check of the old log, and the times of timed cases."""

    def __init__(self) -> None:
        self.answers: dict[_AnswerKey, Answer] = {}
        self.times: dict[tuple[str, str], TimeEntry] = {}

    def note(self, line: Line, header: Header) -> None:
        if isinstance(line, CheckRecord):
            key = sys.intern(line.target), line.case, line.form
            self.answers.setdefault(key, answer_of(line, header))
        elif isinstance(line, TimingRecord) and line.run is not None:
            self.times[line.target, line.case] = line.run


@dataclass(slots=True)
class _ChangesGathered:
    count: int = 0
    operators: Counter[str] = field(default_factory=Counter)
    checks: list[CheckName] = field(default_factory=list)


class _Comparing:
    """Compares each record of the new log with the answer in the old log."""

    def __init__(self, before: Summary, earlier: _Earlier) -> None:
        self._before = before
        self._earlier = earlier
        self.timed: list[TimedChange] = []
        self._old_names: dict[str, str] = {}
        self._met: set[_AnswerKey] = set()
        self._counts: defaultdict[tuple[str, str], Counter[Change]] = defaultdict(Counter)
        self._groups: dict[_GroupKey, _ChangesGathered] = {}
        self._kept = 0
        self.pairs: tuple[TargetPair, ...] = ()

    def note(self, line: Line, header: Header) -> None:
        """Takes one line of the new log."""
        if isinstance(line, Header):
            self.pairs = pair_targets(self._before.targets, line.targets)
            self._old_names = old_names(self.pairs)
        elif isinstance(line, CheckRecord):
            key = self._old_names.get(line.target, line.target), line.case, line.form
            if key not in self._met:
                self._met.add(key)
                self._count(line.target, key, self._earlier.answers.get(key), answer_of(line, header))
        elif isinstance(line, TimingRecord) and line.run is not None:
            earlier = self._earlier.times.get((self._old_names.get(line.target, line.target), line.case))
            if earlier is not None and min(earlier.median_ns, line.run.median_ns) > 0:
                self.timed.append(timed_change(one_line(line.target), one_line(line.case), earlier, line.run))

    def end(self) -> None:
        """Counts the checks that only the old log has."""
        new_names = {old: new for new, old in self._old_names.items()}
        for key, answer in self._earlier.answers.items():
            if key not in self._met:
                self._count(new_names.get(key[0], key[0]), key, answer, None)

    def cells(self, operators: Sequence[str]) -> tuple[ChangeCell, ...]:
        """The changes by target and operator, in the order of the targets and of these operators."""
        order = {pair.name: number for number, pair in enumerate(self.pairs)}
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
            ChangeGroup(*key, gathering.count, dict(gathering.operators), tuple(gathering.checks))
            for key, gathering in self._groups.items()
        ]
        return tuple(
            sorted(found, key=lambda group: (order.index(group.change), rank_of(group.severity), -group.count))
        )

    def _count(self, target: str, key: _AnswerKey, old: Answer | None, new: Answer | None) -> None:
        _, case, form = key
        operator, change = case.partition("/")[0], change_of(old, new)
        self._counts[target, operator][change] += 1
        if change is Change.UNCHANGED:
            return
        texts = old.text if old else "", new.text if new else ""
        group: _GroupKey = (target, change, _severity(change, old, new), *texts, aspects_of(old, new))
        if group not in self._groups and len(self._groups) >= _MAX_GROUPS:
            group = (*group[:3], _OTHERS, _OTHERS, ())
        gathering = self._groups.setdefault(group, _ChangesGathered())
        gathering.count += 1
        gathering.operators[operator] += 1
        if len(gathering.checks) < KEPT_PER_GROUP and self._kept < KEPT_IN_ALL:
            gathering.checks.append(CheckName(case=case[:_MAX_CASE], form=form))
            self._kept += 1


def _severity(change: Change, old: Answer | None, new: Answer | None) -> Severity | None:
    answer = old if change in (Change.IMPROVED, Change.REMOVED) else new
    return answer.judged.meaning.severity if answer is not None else None
