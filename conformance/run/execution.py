"""What all executions of a run have in common: the header, the targets, and their chunks."""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Protocol

from conformance import __version__
from conformance.judge.deviation import Circumstances, Conditions, Deviation
from conformance.log.build_record import not_run_record
from conformance.log.log_file import RunLogWriter, record_line
from conformance.log.record import (
    CheckRecord,
    RecordedDeviation,
    RecordedInterpretation,
    SelectionEntry,
    ShardEntry,
    SuiteEntry,
    TargetEntry,
)
from conformance.run.run_plan import CHUNK_CHECKS, Chunk, ChunkReader, RunPlan
from conformance.run.selection import Selection
from conformance.spec.choices import Choices
from conformance.suite.case_file import CaseFamily
from conformance.suite.suite import Suite
from conformance.tensors.text import options_text

# Builds the parts of a log's header that follow from the suite, the selection, and the target.
#
# A run writes them; verification of a log builds them again.


def suite_entry(suite: Suite, families: Sequence[CaseFamily]) -> SuiteEntry:
    """The suite, with the clauses and laws of the families' operators and the interpretations of disputed cases."""
    operators = {family.operator.id: family.operator for family in families}
    in_plan = {operator.family for operator in operators.values()}
    return SuiteEntry(
        version=__version__,
        digest=suite.digest,
        digests={name: digest for name, digest in suite.digests.items() if name in in_plan},
        operators={
            name: {clause.id: clause.says for clause in operator.clauses.values()}
            for name, operator in operators.items()
        },
        laws={name: list(operator.law.lines) for name, operator in operators.items() if operator.law is not None},
        disputes={family.id: _interpretations(family) for family in families if family.entry.disputed},
    )


def selection_entry(selection: Selection, shard: ShardEntry | None = None) -> SelectionEntry:
    """The selection as a log records it."""
    choices = {item.name: getattr(selection, item.name) for item in fields(Choices)}
    return SelectionEntry(**choices, rerun="failed" if selection.checks else "", shard=shard)


def circumstances_of(target: TargetEntry, system: str) -> Circumstances:
    """Where a target ran, to match the conditions of deviations; `system` starts with the operating system's name."""
    return Circumstances(
        version=target.version,
        options=target.options,
        instruction_set=target.instruction_set,
        devices=tuple(target.devices),
        system=system.partition(" ")[0],
    )


def deviation_entry(target: str, deviation: Deviation) -> RecordedDeviation:
    """A recorded deviation that applies to a target, as a log records it."""
    shown = deviation.model_dump(mode="json", include={item.name for item in fields(RecordedDeviation)})
    if deviation.witness is not None:
        shown["reproducer"] = f"{deviation.witness.case}, form {deviation.witness.form.value}"
    return RecordedDeviation(target=target, where=_conditions_text(deviation.conditions), **shown)


def _conditions_text(conditions: Conditions) -> str:
    """`>=2026.4,<2026.5; instruction set <AVX512_CORE_FP16`."""
    named = (
        ("", conditions.versions),
        ("options ", options_text(conditions.options, ",")),
        ("instruction set ", conditions.instruction_set),
        ("device ", conditions.device),
        ("system ", conditions.system),
    )
    return "; ".join(f"{name}{value}" for name, value in named if value)


def _interpretations(family: CaseFamily) -> list[RecordedInterpretation]:
    return [
        RecordedInterpretation(name=name, reason=entry.reason, thread=entry.thread)
        for name, entry in (family.entry.disputed or {}).items()
    ]


@dataclass(slots=True, kw_only=True)
class RunTarget:
    """A target in a run: its description, its recorded deviations, and its number of finished checks."""

    entry: TargetEntry
    recorded: list[RecordedDeviation]
    done: int = 0

    @classmethod
    def started(cls, entry: TargetEntry, deviations: Iterable[Deviation]) -> RunTarget:
        """A target that has started, with the deviations that apply to it."""
        return cls(entry=entry, recorded=[deviation_entry(entry.name, item) for item in deviations])


class Execution(Protocol):
    """The targets of one run, wherever they run."""

    def started(self) -> list[RunTarget]:
        """The targets, once all have started or failed to."""

    def run(self, plan: RunPlan, targets: Sequence[RunTarget], log: RunLogWriter, on_tick: Callable[[], None]) -> str:
        """Write the records of all checks that a target has not done yet, of each target in the order of the plan.

        The caller's thread runs `on_tick` several times a second. Returns why the records are not complete, or an empty
        text; stopping needs no reason.
        """

    def end(self) -> None:
        """End all workers."""


# The chunks of one target in a run: those that do not run yet, and finished ones that wait for earlier ones.

RecordLine = tuple[bytes, str]
"""The line of a check in the log, and its verdict."""


def lines_of(chunk: Chunk, records: Iterable[CheckRecord]) -> Iterator[RecordLine]:
    """The lines of the records of a chunk; in the log of a shard, with their places in the whole plan."""
    for record, place in zip(records, chunk.places, strict=False):  # a stopped runner has fewer records
        placed = replace(record, place=place) if chunk.is_of_shard else record
        yield record_line(placed), record.verdict.value


class TargetChunks:
    """Hands out the chunks of a target, and writes their lines to the log in the order of the plan.

    If the target could not start, none of its checks runs.
    """

    def __init__(self, plan: RunPlan, target: RunTarget, log: RunLogWriter, size: int = CHUNK_CHECKS) -> None:
        self.target = target
        self._plan = plan
        self._log = log
        self._reader = ChunkReader(plan.families, plan.selection)
        self._size = size
        self._waiting = deque(range(target.done, plan.planned, size))
        """The number of each chunk that does not run yet."""
        self._finished: dict[int, Iterable[RecordLine]] = {}
        if target.entry.problem:
            self.give_up(target.entry.problem)
            self.write()

    @property
    def is_finished(self) -> bool:
        """Whether the log has a record of every check."""
        return self.target.done >= self._plan.planned

    @property
    def num_chunks(self) -> int:
        """The number of chunks that do not run yet."""
        return len(self._waiting)

    @property
    def num_checks(self) -> int:
        """The number of checks from the first chunk on that does not run yet."""
        return self._plan.planned - self._waiting[0] if self._waiting else 0

    def has_next(self, max_ahead: int) -> bool:
        """Whether there is a chunk to run that is at most so many checks ahead of the first one without a record."""
        return bool(self._waiting) and self._waiting[0] - self.target.done <= max_ahead

    def take(self) -> Chunk:
        """The next chunk to run."""
        return self._plan.chunk(self._waiting.popleft(), self._size)

    def give_back(self, chunk: Chunk) -> None:
        """Put a chunk back, so that it can be taken again."""
        insort(self._waiting, chunk.number)

    def finish(self, number: int, lines: Iterable[RecordLine]) -> None:
        """Take the lines of finished checks, of which the first has this number in the plan; lines of a chunk
        that was finished before are dropped.
        """
        if number >= self.target.done:
            self._finished.setdefault(number, lines)

    def write(self) -> None:
        """Write lines up to the first gap."""
        name, done = self.target.entry.name, self.target.done
        while (ready := self._finished.pop(done, None)) is not None:
            for line, verdict in ready:
                self._log.check_line(line, name, verdict)
                done += 1
            self.target.done = done

    def skip(self, chunk: Chunk, reason: str) -> None:
        """Record the checks of a chunk as *not run*."""
        records = (not_run_record(check, self.target.entry.name, reason) for check in self._reader.checks(chunk))
        self.finish(chunk.number, lines_of(chunk, records))

    def give_up(self, reason: str) -> None:
        """Record the checks of all chunks that are left as *not run*."""
        while self._waiting:
            self.skip(self.take(), reason)
