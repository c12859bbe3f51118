"""Reads logs together: joins those of shards, or reads one against a baseline."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from conformance.log.answers import CheckKey, is_worse, old_names, pair_targets
from conformance.log.compare import circumstances_of
from conformance.log.log_file import RunLogWriter, read_footer, read_header, read_lines, records_of, replacing
from conformance.log.record import CheckRecord, Footer, Header, Line, ShardEntry, TargetEntry
from conformance.spec.verdict import ExitCode, Rank, Verdict
from conformance.tensors.errors import RunLogError
from conformance.tensors.files import refuse_foreign
from conformance.tensors.text import counted

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
