"""Reads several logs together: compares two, joins those of shards, or reads one against a baseline."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from pathlib import Path

from conformance.log.answers import (
    Answer,
    Aspect,
    Change,
    CheckKey,
    LoggedAnswers,
    LoggedRun,
    NamedLog,
    Pace,
    TargetPair,
    TimedChange,
    aspects_of,
    change_of,
    is_worse,
    logged_run,
    old_names,
    pair_targets,
    read_answers,
    timed_change,
)
from conformance.log.log_file import RunLogWriter, read_footer, read_header, read_lines, records_of, replacing
from conformance.log.record import CheckRecord, Footer, Header, Line, SelectionEntry, ShardEntry, TargetEntry
from conformance.log.summary import in_order, rank_of
from conformance.protocol.form import Form
from conformance.spec.operator import operator_order
from conformance.spec.verdict import ExitCode, Rank, Severity, Verdict
from conformance.tensors.errors import RunLogError
from conformance.tensors.files import refuse_foreign
from conformance.tensors.text import counted, one_line, options_text

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


# Compares two logs in one pass over each, by a short answer to each check.

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


# Merges the logs of all shards into one: each target's records in the order of the plan, as if one machine had run it.
#
# The result depends only on the content of the logs, not on their order. The logs are read in parallel, once for each
# target, so that memory does not grow with their size.

_MAY_DIFFER = {"system", "processor", "cores"}
_NAMED_ONLY = ("selection", "deviations", "targets")
"""Fields of a header that a message only names, if no circumstance describes the difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _ShardLog:
    """The log of a shard. `header` is rewritten to that of the whole run."""

    path: Path
    shard: ShardEntry
    header: Header
    footer: Footer


def merge(logs: Sequence[Path], output: Path) -> None:
    """Writes the log of the whole run to `output`, which stays as it is if an error is raised.

    Raises:
        RunLogError: the logs are not all shards of one run, each once and complete.
    """
    shards = sorted((_read(log) for log in logs), key=lambda log: log.shard.number)
    _refuse_gaps(shards)
    for log in shards[1:]:
        _refuse_another_product(shards[0], log)
    refuse_foreign(output)
    with replacing(output) as unfinished, unfinished.open("xb", buffering=0) as stream:
        writer = RunLogWriter(stream, {})
        header = _whole(shards)
        writer.header(header)
        for target in header.targets:
            for record in _in_order(shards, target.name):
                writer.check(record)
        writer.footer("", ended=max(log.footer.ended for log in shards))


def _read(path: Path) -> _ShardLog:
    header, footer = read_header(path), read_footer(path)
    shard = header.selection.shard
    if shard is None:
        raise RunLogError(str(path), "is not the log of a shard", fix="name the logs of `conformance run --shard K/N`")
    if footer is None or not footer.complete:
        raise RunLogError(str(path), "is not complete", fix="finish it with --resume, or run the shard again")
    whole = replace(header, selection=replace(header.selection, shard=None), planned=shard.whole)
    return _ShardLog(path=path, shard=shard, header=whole, footer=footer)


def _refuse_gaps(shards: Sequence[_ShardLog]) -> None:
    """Refuses shards of different divisions, repeated shards, and missing shards."""
    first = shards[0]
    for before, log in pairwise(shards):
        if log.shard.of != first.shard.of:
            what = f"is one of {log.shard.of} shards, but {first.path} is one of {first.shard.of}"
            raise RunLogError(str(log.path), what, fix="name the shards of one run")
        if log.shard.number == before.shard.number:
            what = f"is shard {log.shard.number} of {log.shard.of}, and so is {before.path}"
            raise RunLogError(str(log.path), what, fix="name each shard once")
    missing = set(range(1, first.shard.of + 1)) - {log.shard.number for log in shards}
    if missing:
        numbers = ", ".join(map(str, sorted(missing)))
        what = f"is shard {first.shard.number} of {first.shard.of}; these shards are missing: {numbers}"
        raise RunLogError(str(first.path), what, fix="name the logs of all shards")


def _refuse_another_product(first: _ShardLog, log: _ShardLog) -> None:
    mine, theirs = _without_folders(log.header), _without_folders(first.header)
    differing = [
        f"{found.what} {found.new!r}, not {found.old!r}"
        for found in circumstances_of(theirs, mine, pair_targets(theirs.targets, mine.targets))
        if found.what not in _MAY_DIFFER
    ]
    if not differing:
        differing = [f"other {name}" for name in _NAMED_ONLY if getattr(mine, name) != getattr(theirs, name)]
    if differing:
        what = f"is not of the same run as {first.path}: {'; '.join(differing)}"
        raise RunLogError(
            str(log.path), what, fix="run that shard again as the others were run, with the same versions"
        )


def _without_folders(header: Header) -> Header:
    """The header without the folders of adapters and what is loaded there, which differ from machine to machine."""
    targets = [replace(target, folder="", module="", loaded_digest="") for target in header.targets]
    return replace(header, targets=targets)


def _whole(shards: Sequence[_ShardLog]) -> Header:
    """The header of the whole run. Where machines may differ, it lists all their values; `cores` is the smallest."""
    machines = [log.header.machine for log in shards]
    machine = replace(
        machines[0],
        system=_all_of(machine.system for machine in machines),
        processor=_all_of(machine.processor for machine in machines),
        cores=min(machine.cores for machine in machines),
    )
    targets = [
        replace(same[0], loaded_digest=same[0].loaded_digest if len({one.loaded_digest for one in same}) == 1 else "")
        for same in zip(*(log.header.targets for log in shards), strict=True)
    ]
    started = min(log.header.started for log in shards)
    return replace(shards[0].header, started=started, machine=machine, targets=targets)


def _all_of(texts: Iterable[str]) -> str:
    return " | ".join(sorted(set(texts)))


def _in_order(shards: Sequence[_ShardLog], target: str) -> Iterator[CheckRecord]:
    """A target's records from all shards in the order of the plan.

    Raises:
        RunLogError: a check is in two shards or in none.
    """
    due = 0
    of_target = ((record for record in records_of(log.path) if record.target == target) for log in shards)
    for record in heapq.merge(*of_target, key=lambda record: record.place or 0):
        if record.place != due:
            break
        due += 1
        yield replace(record, place=None)
    if due != shards[0].shard.whole:
        what = f"check {due} of the plan has no record of {target}, or is in two shards"
        fix = "run all shards again, with the same number of shards"
        raise RunLogError(_all_of(str(log.path) for log in shards), what, fix=fix)


# Reads a log against a baseline, an earlier log: checks that deviated there become *broken before*.
#
# A check that fails worse than in the baseline still fails: a crash in place of a wrong answer is new. The log itself
# does not change. Checks are matched by target, case and form, whatever suites the two logs are of.


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The failed checks of an earlier log with their verdicts, by the names of its targets."""

    targets: tuple[TargetEntry, ...]
    broken: Mapping[CheckKey, Verdict]


def read_baseline(log: Path) -> Baseline:
    """Reads a log as a baseline.

    Raises:
        RunLogError: the log cannot be read or is not complete.
    """
    header, footer = read_header(log), read_footer(log)
    if footer is None or not footer.complete:
        raise RunLogError(str(log), "is not complete, so it cannot be a baseline", fix="name the log of a complete run")
    records = filter(_is_broken, records_of(log))
    broken = {(record.target, record.case, record.form): record.judged for record in records}
    return Baseline(targets=tuple(header.targets), broken=broken)


class Against:
    """The lines of a log; checks that failed in the baseline too are *broken before*. Can be iterated repeatedly."""

    def __init__(self, log: Path, baseline: Baseline) -> None:
        self._log = log
        self._broken = baseline.broken
        self._old_names = old_names(pair_targets(baseline.targets, read_header(log).targets))

    def __iter__(self) -> Iterator[Line]:
        for line in read_lines(self._log):
            if isinstance(line, CheckRecord) and _is_broken(line) and self._is_excused(line):
                yield replace(line, verdict=Verdict.BROKEN_BEFORE)
            else:
                yield line

    def mended_sentence(self) -> str:
        """A sentence with the number of checks that failed in the baseline and pass now."""
        holding = (record for record in records_of(self._log) if record.verdict.meaning.rank is Rank.HOLDS)
        count = sum(self._before(record) is not None for record in holding)
        passing = f"{count or 'none'} of them {'pass' if count > 1 else 'passes'} now"
        return f"{counted(len(self._broken), 'check')} failed in the baseline; {passing}."

    def _is_excused(self, record: CheckRecord) -> bool:
        before = self._before(record)
        return before is not None and not is_worse(before, record.judged)

    def _before(self, record: CheckRecord) -> Verdict | None:
        """The verdict of a check in the baseline if it failed there, before deviations; else None."""
        return self._broken.get((self._old_names.get(record.target, ""), record.case, record.form))


def _is_broken(record: CheckRecord) -> bool:
    return record.verdict.meaning.exit_code is ExitCode.NOT_CONFORMING
