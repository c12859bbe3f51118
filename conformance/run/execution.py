"""Runs the checks of all targets: what all executions have in common, and that on this machine."""

from __future__ import annotations

import os
import signal
import sys
import threading
from bisect import insort
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from queue import SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Protocol, TypeAlias

from conformance import __version__
from conformance.judge.deviation import Conditions, Deviation, deviations_of
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
from conformance.run.ending import forget_guardian, killed_when
from conformance.run.run_plan import CHUNK_CHECKS, Chunk, ChunkReader, RunPlan, RunRequest
from conformance.run.selection import Selection, families_selected
from conformance.run.session import StoppedError
from conformance.run.target_runner import StartedTarget, TargetRunner
from conformance.spec.check import Check
from conformance.spec.choices import Choices
from conformance.suite.case_file import CaseFamily
from conformance.suite.suite import Suite
from conformance.tensors.errors import MachineError, OpconformError
from conformance.tensors.text import options_text

if TYPE_CHECKING:
    from conformance.run.reuse import EarlierAnswers


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


# A process that runs chunks of a run, from the plan to the lines of the log, and its protocol with the parent.
#
# The workers of a target stay warm from chunk to chunk, until the parent has no more chunks of it.

_EXIT_LIMIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Describe:
    """Start a target and describe it; targets are numbered as in the request."""

    target: int


@dataclass(frozen=True, slots=True)
class Work:
    """Run a chunk."""

    target: int
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class Finish:
    """End the workers of a target: no more chunks of it come."""

    target: int


@dataclass(frozen=True, slots=True)
class FinishedCheck:
    """The line of a check in the log, with its verdict; checks are numbered as those of the run."""

    number: int
    line: bytes
    verdict: str


@dataclass(frozen=True, slots=True)
class Done:
    """The command is carried out; the answer to `Describe` has the target.

    With a `problem`, it is not: the target could not start in this process, though it did in another.
    """

    target: RunTarget | None = None
    problem: str = ""


Command: TypeAlias = Describe | Work | Finish
Reply: TypeAlias = FinishedCheck | Done


class ChildProcess:
    """The parent's side: one process, and the command that it carries out, if any.

    Args:
        context: how processes are started.
        request: what is run.
        recorded: the deviations that the adapter of each target records.
        inherited: the connections of earlier processes, which a forked one has to close.
    """

    def __init__(
        self,
        context: BaseContext,
        request: RunRequest,
        recorded: Sequence[Sequence[Deviation]],
        inherited: Iterable[Connection],
    ) -> None:
        self.connection, far = context.Pipe()
        self.command: Command | None = None
        self.targets: set[int] = set()
        """The targets whose workers it has."""
        foreign = [*inherited, self.connection] if context.get_start_method() == "fork" else []
        self._process = context.Process(target=_serve, args=(far, foreign, request, recorded), daemon=True)  # type: ignore[attr-defined]
        try:
            self._process.start()
        except OSError as error:
            raise MachineError("engine", f"no process can be started: {error.strerror}", fix="end others") from None
        far.close()

    def give(self, command: Command) -> None:
        """Give a command to the process, which must have none."""
        self.command = command
        if isinstance(command, Finish):
            self.targets.discard(command.target)
        else:
            self.targets.add(command.target)
        self._send(command)

    def answer(self) -> Reply:
        """The next answer; the last one to a command leaves the process without a command.

        Raises:
            MachineError: the process has ended.
            OpconformError: an error ended its command.
        """
        try:
            answer: Reply | OpconformError = self.connection.recv()
        except (EOFError, OSError):
            self.command = None
            self._process.join(_EXIT_LIMIT_S)
            what = f"a child process ended with exit code {self._process.exitcode}"
            raise MachineError("engine", what, fix="give the command again with --resume") from None
        if not isinstance(answer, FinishedCheck):
            self.command = None
        if isinstance(answer, OpconformError):
            raise answer
        return answer

    def stop(self) -> None:
        """Tell the process to end its workers at once, and itself."""
        self._send(None)

    def end(self) -> None:
        """Wait until the process is gone, after `stop`."""
        self._process.join(_EXIT_LIMIT_S)
        self._process.kill()
        self._process.join()
        self.connection.close()

    def _send(self, command: Command | None) -> None:
        with suppress(OSError):  # if it has died, the next answer reports it
            self.connection.send(command)


class _Runners:
    """The runners of a child process, one for each target that it has started."""

    def __init__(self, request: RunRequest, recorded: Sequence[Sequence[Deviation]]) -> None:
        self.stopping = threading.Event()
        self._request = request
        self._recorded = recorded
        self._reader = ChunkReader(families_selected(request.suite, request.selection), request.selection)
        self._runners: dict[int, TargetRunner] = {}
        self._earlier: dict[int, EarlierAnswers] = {}

    def answers(self, command: Command) -> Iterator[Reply]:
        """Carry out a command."""
        match command:
            case Describe(target):
                yield Done(target=self._described(target))
            case Work(target, chunk):
                started = self._started(target) if target not in self._runners else None
                if started is not None and started.entry.problem:
                    yield Done(problem=started.entry.problem)
                    return
                records = self._records(target, self._reader.checks(chunk))
                for number, (line, verdict) in enumerate(lines_of(chunk, records), chunk.number):
                    yield FinishedCheck(number, line, verdict)
                yield Done()
            case Finish(target):
                self._runners.pop(target).end()
                yield Done()

    def kill(self) -> None:
        """End all workers now."""
        for runner in list(self._runners.values()):
            runner.kill()

    def _records(self, target: int, checks: Iterable[Check]) -> Iterator[CheckRecord]:
        runner, earlier = self._runners[target], self._earlier.get(target)
        return runner.records(checks) if earlier is None else earlier.completed(checks, runner.records)

    def _described(self, target: int) -> RunTarget:
        self._started(target)
        bound, probe = self._runners[target].bound_target, self._request.probe
        entry = bound.entry
        if probe is not None and not entry.problem:
            entry = replace(entry, undeclared=probe(self._request.targets[target]))
        return RunTarget.started(entry, bound.deviations)

    def _started(self, target: int) -> StartedTarget:
        request, limit_s = self._request, self._request.timeout_s
        runner = TargetRunner(request.targets[target], self._recorded[target], limit_s, self.stopping)
        self._runners[target] = runner
        started = runner.start()
        if request.reuse is not None and not started.entry.problem:
            from conformance.run.reuse import EarlierAnswers

            bound, description = runner.bound_target, runner.description
            self._earlier[target] = EarlierAnswers(request.reuse, self._suite, bound, description, limit_s)
        return started

    @cached_property
    def _suite(self) -> SuiteEntry:
        return suite_entry(self._request.suite, self._reader.families)


def _serve(
    connection: Connection, foreign: Iterable[Connection], request: RunRequest, recorded: Sequence[Sequence[Deviation]]
) -> None:
    """Carry out the commands of the parent until it stops the process, or is gone."""
    for other in foreign:
        other.close()
    forget_guardian()
    for number in (signal.SIGINT, signal.SIGHUP):  # a terminal also sends them to the parent, which decides
        signal.signal(number, lambda *_: None)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    runners, commands = _Runners(request, recorded), SimpleQueue[Command | None]()
    threading.Thread(target=_listen, args=(connection, commands, runners.stopping), daemon=True).start()
    with killed_when(runners.stopping, runners.kill):
        try:
            while (command := commands.get()) is not None:
                for answer in runners.answers(command):
                    connection.send(answer)
        except OpconformError as error:
            connection.send(error)
        except (StoppedError, OSError):
            pass  # `OSError` if the parent is gone
        finally:
            runners.kill()
    os._exit(0)  # a forked process must not flush what its parent has buffered; the listener still reads the connection


def _listen(connection: Connection, commands: SimpleQueue[Command | None], stopping: threading.Event) -> None:
    command: Command | None
    while not stopping.is_set():
        try:
            command = connection.recv()
        except (EOFError, OSError):
            command = None
        if command is None:
            stopping.set()
        commands.put(command)


_CHECKS_WORTH_A_WORKER = 256
_MAX_CHECKS_AHEAD = 4096
"""How far the records of a target may be ahead of the first one that is missing."""
_TICK_S = 0.1
_STOP_LIMIT_S = 10.0

NextCommand: TypeAlias = Callable[[ChildProcess], Command | None]
Take: TypeAlias = Callable[[ChildProcess, Command, Reply], None]


class LocalExecution:
    """The child processes of a run on this machine. The targets start at once, while the caller plans.

    Args:
        request: what to run.
        stopping: the caller sets it to end the execution; every method returns soon then.
    """

    def __init__(self, request: RunRequest, stopping: threading.Event) -> None:
        self._request = request
        self._stopping = stopping
        self._recorded = [deviations_of(target.adapter.folder, request.suite) for target in request.targets]
        self._context = get_context("fork" if sys.platform == "linux" else "spawn")
        self._processes: list[ChildProcess] = []
        self._unstarted = deque(range(len(request.targets)))
        self._started: dict[int, RunTarget] = {}
        self._start_processes(len(request.targets))
        self._give_out(self._next_start)

    def started(self) -> list[RunTarget]:
        """The targets, once all have started or failed to; fewer if the run is stopped."""
        self._exchange(self._next_start, self._take_started, lambda: None)
        return [target for _, target in sorted(self._started.items())]

    def run(self, plan: RunPlan, targets: Sequence[RunTarget], log: RunLogWriter, on_tick: Callable[[], None]) -> str:
        """Run the checks of the plan that the targets have not done yet."""
        chunks = ChunkQueue(plan, targets, log)
        self._start_processes(chunks.num_chunks)
        self._exchange(chunks.next_command, chunks.take, on_tick)
        return ""

    def end(self) -> None:
        """End all workers."""
        for process in self._processes:
            process.stop()
        for process in self._processes:
            process.end()

    def _start_processes(self, useful: int) -> None:
        while len(self._processes) < min(self._request.jobs, useful):
            inherited = [process.connection for process in self._processes]
            self._processes.append(ChildProcess(self._context, self._request, self._recorded, inherited))

    def _next_start(self, _: ChildProcess) -> Command | None:
        return Describe(self._unstarted.popleft()) if self._unstarted else None

    def _take_started(self, _: ChildProcess, command: Command, answer: Reply) -> None:
        if isinstance(answer, Done) and answer.target is not None:
            self._started[command.target] = answer.target

    def _exchange(self, next_command: NextCommand, take: Take, on_tick: Callable[[], None]) -> None:
        """Give commands and take answers until there are none; if the run is stopped, take those that still come."""
        while not self._stopping.is_set():
            self._give_out(next_command)
            if not self._receive(take):
                return
            on_tick()
        for process in self._processes:
            process.stop()
        limit = monotonic() + _STOP_LIMIT_S
        while monotonic() < limit and self._receive(take):
            on_tick()

    def _give_out(self, next_command: NextCommand) -> None:
        for process in self._processes:
            if process.command is None and (command := next_command(process)) is not None:
                process.give(command)

    def _receive(self, take: Take) -> bool:
        """Take the answers that come soon; False if no process owes one.

        Raises:
            OpconformError: a process cannot go on, or has died.
        """
        busy = {process.connection.fileno(): process for process in self._processes if process.command is not None}
        for number in wait(list(busy), _TICK_S):
            assert isinstance(number, int)
            process = busy[number]
            command = process.command
            assert command is not None
            try:
                take(process, command, process.answer())
            except MachineError:
                if not self._stopping.is_set():
                    raise
        return bool(busy)


class ChunkQueue:
    """Which chunk of which target a process runs next."""

    def __init__(self, plan: RunPlan, targets: Sequence[RunTarget], log: RunLogWriter) -> None:
        self._targets = {number: TargetChunks(plan, target, log) for number, target in enumerate(targets)}
        self._refusing: defaultdict[int, list[ChildProcess]] = defaultdict(list)
        """Processes in which a target does not start."""

    @property
    def num_chunks(self) -> int:
        """How many chunks no process runs yet."""
        return sum(chunks.num_chunks for chunks in self._targets.values())

    def next_command(self, process: ChildProcess) -> Command | None:
        """What a process does next: more of a target that it has, before it starts another one."""
        for number in process.targets:
            if not self._targets[number].num_chunks:
                return Finish(number)
        able = [number for number in self._targets if self._may_run(process, number)]
        warm = [number for number in able if number in process.targets]
        worth_a_start = filter(self._is_worth_a_start, able)
        chosen = max(warm or worth_a_start, key=lambda number: self._targets[number].num_checks, default=None)
        if chosen is None:
            return None
        return Work(chosen, self._targets[chosen].take())

    def take(self, process: ChildProcess, command: Command, answer: Reply) -> None:
        """Take a line, or give back the chunk of a process that cannot run it."""
        if not isinstance(command, Work):
            return
        if isinstance(answer, FinishedCheck):
            chunks = self._targets[command.target]
            chunks.finish(answer.number, [(answer.line, answer.verdict)])
            chunks.write()
        elif answer.problem:
            self._refusing[command.target].append(process)
            self._targets[command.target].give_back(command.chunk)

    def _may_run(self, process: ChildProcess, number: int) -> bool:
        return process not in self._refusing[number] and self._targets[number].has_next(_MAX_CHECKS_AHEAD)

    def _is_worth_a_start(self, number: int) -> bool:
        """Whether a further process should start the target: there is much to do, or another could not do it."""
        return self._targets[number].num_checks >= _CHECKS_WORTH_A_WORKER or bool(self._refusing[number])
