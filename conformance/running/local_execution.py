"""Runs the checks of all targets on this machine, in processes that each run chunks of them."""

from __future__ import annotations

import sys
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.connection import wait
from time import monotonic
from typing import TypeAlias

from conformance.judging.deviation_file import deviations_of
from conformance.log.log_file import RunLogWriter
from conformance.planning.run_plan import RunPlan
from conformance.planning.run_request import RunRequest
from conformance.running.engine_process import (
    Command,
    Describe,
    Done,
    EngineProcess,
    Finish,
    FinishedCheck,
    Reply,
    Work,
)
from conformance.running.execution import RunTarget
from conformance.running.target_chunks import TargetChunks
from conformance.values.errors import MachineError

_CHECKS_WORTH_A_WORKER = 256
_MAX_CHECKS_AHEAD = 4096
"""How far the records of a target may be ahead of the first one that is missing."""
_TICK_S = 0.1
_STOP_LIMIT_S = 10.0

NextCommand: TypeAlias = Callable[[EngineProcess], Command | None]
Take: TypeAlias = Callable[[EngineProcess, Command, Reply], None]


class LocalExecution:
    """The engines of a run on this machine. The targets start at once, while the caller plans.

    Args:
        request: what to run.
        stopping: the caller sets it to end the execution; every method returns soon then.
    """

    def __init__(self, request: RunRequest, stopping: threading.Event) -> None:
        self._request = request
        self._stopping = stopping
        self._recorded = [deviations_of(target.adapter.folder, request.suite) for target in request.targets]
        self._context = get_context("fork" if sys.platform == "linux" else "spawn")
        self._processes: list[EngineProcess] = []
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
            self._processes.append(EngineProcess(self._context, self._request, self._recorded, inherited))

    def _next_start(self, _: EngineProcess) -> Command | None:
        return Describe(self._unstarted.popleft()) if self._unstarted else None

    def _take_started(self, _: EngineProcess, command: Command, answer: Reply) -> None:
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
        self._refusing: defaultdict[int, list[EngineProcess]] = defaultdict(list)
        """Processes in which a target does not start."""

    @property
    def num_chunks(self) -> int:
        """How many chunks no process runs yet."""
        return sum(chunks.num_chunks for chunks in self._targets.values())

    def next_command(self, process: EngineProcess) -> Command | None:
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

    def take(self, process: EngineProcess, command: Command, answer: Reply) -> None:
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

    def _may_run(self, process: EngineProcess, number: int) -> bool:
        return process not in self._refusing[number] and self._targets[number].has_next(_MAX_CHECKS_AHEAD)

    def _is_worth_a_start(self, number: int) -> bool:
        """Whether a further process should start the target: there is much to do, or another could not do it."""
        return self._targets[number].num_checks >= _CHECKS_WORTH_A_WORKER or bool(self._refusing[number])
