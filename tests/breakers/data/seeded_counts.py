"""Asks a faulty copy what its fault can change, and counts how much of what got worse is forgiven."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from seeded_copies import write_copy
from seeded_faults import Concerns, SeededFault

from conformance.judge.deviation import read_deviations
from conformance.log.build_record import record_of
from conformance.log.record import CheckRecord
from conformance.protocol.form import AtRunTime, Form
from conformance.run.run_plan import Shard, run_plan_of
from conformance.run.selection import Selection, families_selected
from conformance.run.session import Session
from conformance.run.target_runner import start_target
from conformance.spec.check import Check
from conformance.spec.verdict import ExitCode, Rank, Verdict
from conformance.suite.adapter_file import TargetRequest
from conformance.suite.suite import Suite

CRASHES_ASKED = 120
UNHURRIED_S = 60.0
Name = tuple[str, Form]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgiven:
    """How many checks of one kind got worse, and for how many of them the run would end with exit code 0."""

    worse: int = 0
    forgiven: int = 0

    def __add__(self, other: Forgiven) -> Forgiven:
        return Forgiven(worse=self.worse + other.worse, forgiven=self.forgiven + other.forgiven)

    @property
    def share(self) -> float:
        return self.forgiven / self.worse if self.worse else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a fault made of the checks that conformed before, and of those that deviated as recorded.

    `num_unforeseeable` is how many deviated as recorded in memory that is not the framework's own, and are not counted.
    `entries` are the recorded deviations that forgive, each with how many checks, and the first of these.
    """

    fault: str
    asked: int
    conforming: Forgiven
    recorded: Forgiven
    num_unforeseeable: int = 0
    entries: Mapping[str, tuple[int, Name]] = field(default_factory=dict)

    @property
    def total(self) -> Forgiven:
        return self.conforming + self.recorded


class Seeding:
    """One target, asked plainly first; its faulty copies are asked what can differ."""

    def __init__(self, suite: Suite, target: TargetRequest, folder: Path) -> None:
        self._suite, self._target, self._folder = suite, target, folder
        self._checks: dict[Name, Check] = {}
        self._plain: dict[Name, CheckRecord] = {}
        self._touching_memory: set[str] = set()

    def ask_plainly(self, selection: Selection, shard: Shard | None = None) -> int:
        """Ask the adapter as it is; how many checks there are."""
        families = families_selected(self._suite, selection)
        agenda = run_plan_of(families, selection, shard)
        self._checks = {(check.case.id, check.form): check for check in agenda.checks()}
        self._plain = self._records(self._target, self._checks)
        return len(self._plain)

    def tally(self, fault: SeededFault) -> Tally:
        """What one fault makes of the answers."""
        names = checks_concerned(fault, self._plain.values())
        copy = write_copy(self._target.adapter, fault.name, self._folder)
        target = TargetRequest(adapter=copy, options=self._target.options)
        return tally_of(fault.name, self._plain, self._records(target, names), self._touching_memory)

    def _records(self, target: TargetRequest, names: Iterable[Name]) -> dict[Name, CheckRecord]:
        """The answers as a run judges them, before it asks any of them again."""
        session = Session(target, UNHURRIED_S, threading.Event())
        try:
            started = start_target(target, session, read_deviations(target.adapter.folder))
            self._touching_memory |= {entry.id for entry in started.deviations if entry.memory is not None}
            answers = session.answers([self._checks[name] for name in names])
            records = [record_of(check, started.entry.name, outcome, started.deviations) for check, outcome in answers]
        finally:
            session.kill()
        return {(record.case, record.form): record for record in records}


def checks_concerned(fault: SeededFault, plain: Iterable[CheckRecord]) -> list[Name]:
    """The checks whose answer a fault can make worse, judged by the answer of the adapter as it is."""
    found = [(record.case, record.form) for record in plain if _is_concerned(fault, record)]
    if fault.concerns is not Concerns.SOME:
        return found
    return list(islice(found, 0, None, -(-len(found) // CRASHES_ASKED) or 1))


def tally_of(
    fault: str,
    plain: Mapping[Name, CheckRecord],
    faulty: Mapping[Name, CheckRecord],
    touching_memory: Collection[str] = (),
) -> Tally:
    """Counts what got worse from one run to the other.

    Args:
        fault: its name.
        plain: what was recorded without it.
        faulty: what was recorded with it.
        touching_memory: the recorded deviations that touch memory which is not the framework's own. What they give is
            another thing each time, with a fault and without one.
    """
    pairs = [(plain[name], record) for name, record in faulty.items()]
    conforming = [new for old, new in pairs if _holds(old) and not _holds(new)]
    otherwise = [(old, new) for old, new in pairs if old.verdict is Verdict.KNOWN and _deviates_otherwise(old, new)]
    recorded = [new for old, new in otherwise if old.deviation not in touching_memory]
    return Tally(
        fault=fault,
        asked=len(faulty),
        conforming=_forgiven(conforming),
        recorded=_forgiven(recorded),
        num_unforeseeable=len(otherwise) - len(recorded),
        entries=_entries([*conforming, *recorded]),
    )


def _is_concerned(fault: SeededFault, record: CheckRecord) -> bool:
    is_of_type = fault.types >= {record.dtype} or not record.dtype
    match fault.concerns:
        case Concerns.ANSWERED | Concerns.SOME:
            is_meant = record.outcome == "produced"
        case Concerns.REFUSED:
            is_meant = record.outcome == "rejected"
        case Concerns.UNKNOWN_DIMS:
            is_meant = record.form.has_unknown_dims or record.form.has_unknown_ranks
        case Concerns.RUNTIME_ARGUMENTS:
            is_meant = record.form.properties.at_run_time is AtRunTime.ALL
        case Concerns.FURTHER_RUNS:
            is_meant = len(record.run_ns) > 1
    return is_of_type and is_meant and (_holds(record) or record.verdict is Verdict.KNOWN)


def _holds(record: CheckRecord) -> bool:
    return record.judged.meaning.rank is Rank.HOLDS


def _deviates_otherwise(old: CheckRecord, new: CheckRecord) -> bool:
    """Whether a recorded deviation became another one.

    What is refused though valid, or accepted an invalid call, is so with any message and any outputs.
    """
    if _holds(new):
        return False
    if old.judged is not new.judged:
        return True
    match new.judged:
        case Verdict.WRONG_RESULT:
            return old.outputs != new.outputs
        case Verdict.CRASHED:
            return (old.stage, old.cause) != (new.stage, new.cause)
        case _:
            return False


def _forgiven(worse: Sequence[CheckRecord]) -> Forgiven:
    return Forgiven(worse=len(worse), forgiven=sum(map(_is_forgiven, worse)))


def _is_forgiven(record: CheckRecord) -> bool:
    return record.verdict.meaning.exit_code is ExitCode.CONFORMING


def _entries(worse: Sequence[CheckRecord]) -> dict[str, tuple[int, Name]]:
    forgiven = [record for record in worse if _is_forgiven(record)]
    counts = Counter(record.deviation or record.verdict.value for record in forgiven)
    first = {(record.deviation or record.verdict.value): (record.case, record.form) for record in reversed(forgiven)}
    return {entry: (number, first[entry]) for entry, number in counts.most_common()}
