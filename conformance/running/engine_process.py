"""A process that runs chunks of a run, from the plan to the lines of the log, and its protocol with the parent.

The workers of a target stay warm from chunk to chunk, until the parent has no more chunks of it.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from queue import SimpleQueue
from time import sleep
from typing import TYPE_CHECKING, TypeAlias

from conformance.judging.deviation import Deviation
from conformance.language.check import Check
from conformance.log.record import CheckRecord, SuiteEntry
from conformance.planning.run_plan import Chunk, ChunkReader
from conformance.planning.run_request import RunRequest
from conformance.planning.selection import families_selected
from conformance.running.build_header import suite_entry
from conformance.running.execution import RunTarget
from conformance.running.target import StartedTarget
from conformance.running.target_chunks import lines_of
from conformance.running.target_engine import TargetEngine
from conformance.sessions.guardian import forget_guardian
from conformance.sessions.session import StoppedError
from conformance.values.errors import MachineError, OpconformError

if TYPE_CHECKING:
    from conformance.running.reuse import EarlierAnswers

_KILL_EACH_S = 0.1
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


class EngineProcess:
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
            what = f"an engine process ended with exit code {self._process.exitcode}"
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


class _Engines:
    """The engines of one process, one for each target that it has started."""

    def __init__(self, request: RunRequest, recorded: Sequence[Sequence[Deviation]]) -> None:
        self.stopping = threading.Event()
        self._request = request
        self._recorded = recorded
        self._reader = ChunkReader(families_selected(request.suite, request.selection), request.selection)
        self._engines: dict[int, TargetEngine] = {}
        self._earlier: dict[int, EarlierAnswers] = {}

    def answers(self, command: Command) -> Iterator[Reply]:
        """Carry out a command."""
        match command:
            case Describe(target):
                yield Done(target=self._described(target))
            case Work(target, chunk):
                started = self._started(target) if target not in self._engines else None
                if started is not None and started.entry.problem:
                    yield Done(problem=started.entry.problem)
                    return
                records = self._records(target, self._reader.checks(chunk))
                for number, (line, verdict) in enumerate(lines_of(chunk, records), chunk.number):
                    yield FinishedCheck(number, line, verdict)
                yield Done()
            case Finish(target):
                self._engines.pop(target).end()
                yield Done()

    def kill(self) -> None:
        """End all workers now."""
        for engine in list(self._engines.values()):
            engine.kill()

    def _records(self, target: int, checks: Iterable[Check]) -> Iterator[CheckRecord]:
        engine, earlier = self._engines[target], self._earlier.get(target)
        return engine.records(checks) if earlier is None else earlier.completed(checks, engine.records)

    def _described(self, target: int) -> RunTarget:
        started = self._started(target)
        entry, probe = self._bound(target, started).entry, self._request.probe
        if probe is not None and not entry.problem:
            entry = replace(entry, undeclared=probe(self._request.targets[target]))
        return RunTarget.started(entry, started.deviations)

    def _started(self, target: int) -> StartedTarget:
        request = self._request.targets[target]
        engine = TargetEngine(request, self._recorded[target], self._request.timeout_s, self.stopping)
        self._engines[target] = engine
        started = engine.start()
        if self._request.reuse is not None and not started.entry.problem:
            from conformance.running.reuse import EarlierAnswers

            bound, limit_s = self._bound(target, started), self._request.timeout_s
            description = self._engines[target].description
            self._earlier[target] = EarlierAnswers(self._request.reuse, self._suite, bound, description, limit_s)
        return started

    def _bound(self, target: int, started: StartedTarget) -> StartedTarget:
        """The target with the digest of what its worker has loaded, which is asked before the first check."""
        return replace(started, entry=replace(started.entry, loaded_digest=self._engines[target].loaded_digest))

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
    engines, commands = _Engines(request, recorded), SimpleQueue[Command | None]()
    threading.Thread(target=_listen, args=(connection, commands, engines), daemon=True).start()
    try:
        while (command := commands.get()) is not None:
            for answer in engines.answers(command):
                connection.send(answer)
    except OpconformError as error:
        connection.send(error)
    except (StoppedError, OSError):
        pass  # `OSError` if the parent is gone
    finally:
        engines.kill()
        connection.close()
    os._exit(0)  # a forked process must not flush what its parent has buffered


def _listen(connection: Connection, commands: SimpleQueue[Command | None], engines: _Engines) -> None:
    command: Command | None
    while True:
        try:
            command = connection.recv()
        except (EOFError, OSError):
            command = None
        if command is None:
            engines.stopping.set()
        commands.put(command)
        while engines.stopping.is_set():  # again and again, since a worker may be starting
            engines.kill()
            sleep(_KILL_EACH_S)
