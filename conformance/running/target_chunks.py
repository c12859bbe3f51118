"""The chunks of one target in a run: those that do not run yet, and finished ones that wait for earlier ones."""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from conformance.log.build_record import not_run_record
from conformance.log.log_file import RunLogWriter, record_line
from conformance.log.record import CheckRecord
from conformance.planning.run_plan import CHUNK_CHECKS, Chunk, ChunkReader, RunPlan
from conformance.running.execution import RunTarget

RecordLine = tuple[bytes, str]
"""The line of a check in the log, and its verdict."""


def lines_of(chunk: Chunk, records: Iterable[CheckRecord]) -> Iterator[RecordLine]:
    """The lines of the records of a chunk; in the log of a shard, with their places in the whole plan."""
    for record, place in zip(records, chunk.places, strict=False):  # a stopped engine has fewer records
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
