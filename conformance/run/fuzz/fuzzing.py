"""Runs drawn checks on a target until a number of them or a time is over, and shrinks what they find."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic

from conformance.judge.deviation import deviations_of
from conformance.run.fuzz.calls import BudgetOverError, Draws, MadeCheck, operators_named, shrunk
from conformance.run.fuzz.finds import FindCause, FuzzSource, FuzzState, FuzzWitness, cause_of, save_state, state_in
from conformance.run.interruption import heard_by
from conformance.run.session import StoppedError
from conformance.run.target_runner import TargetRunner
from conformance.spec.check import Check
from conformance.spec.verdict import ExitCode
from conformance.suite.adapter_file import TargetRequest
from conformance.suite.suite import Suite
from conformance.tensors.errors import HarnessError

_BATCH = 64
"""Checks between two states that are saved; finds are shrunk between two batches."""
_KILL_EACH_S = 0.1
_DRAWN = 0.75
"""The part of the time in which calls are drawn; in the rest, the last finds are shrunk."""

OnDone = Callable[[str, int], None]
"""Called with the target's name and the number of checks that are done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzRequest:
    """What is asked: `checks` in all, with those of earlier commands, or as many as `budget_s` seconds allow.

    `operators` are names with or without a version; none stands for all.
    """

    suite: Suite
    target: TargetRequest
    operators: tuple[str, ...]
    seed: str
    checks: int | None
    budget_s: float | None
    timeout_s: float
    folder: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzResult:
    """What was found so far; `reason` says why the command ended early, and is empty if it did not."""

    state: FuzzState
    reason: str = ""

    @property
    def exit_code(self) -> ExitCode:
        """As that of a run: 3 if the command failed, else 1 if anything deviates that is not recorded."""
        codes = {verdict.meaning.exit_code for verdict in self.state.verdicts}
        if self.reason or ExitCode.HARNESS in codes:
            return ExitCode.HARNESS
        return ExitCode.NOT_CONFORMING if self.state.groups.new else ExitCode.CONFORMING


def fuzz(request: FuzzRequest, on_start: Callable[[str], None], on_progress: OnDone) -> FuzzResult:
    """Ask a target for made calls, and keep what deviates in the folder of the request.

    Raises:
        SelectionError: an operator is unknown, has no made calls, or is not declared.
        UsageError: the folder holds finds of another seed, target or version.
        HarnessError: the target cannot start.
    """
    began_s = monotonic()
    operators = operators_named(request.suite.operators, request.operators)
    stopping, interrupted = threading.Event(), list[str]()

    def stop(name: str) -> None:
        interrupted.append(name)
        stopping.set()

    recorded = deviations_of(request.target.adapter.folder, request.suite)
    engine = TargetRunner(request.target, recorded, request.timeout_s, stopping)
    with heard_by(stop), _ended_with(engine, stopping):
        try:
            started = engine.start()
        except StoppedError:
            raise HarnessError("fuzz", f"interrupted by {interrupted[0]} before the first check") from None
        if started.entry.problem:
            raise HarnessError(started.entry.name, f"could not start: {started.entry.problem}")
        draws = Draws(operators, started.entry, request.seed)
        source = FuzzSource(seed=request.seed, operators=request.operators, target=started.entry.name)
        state = state_in(request.folder, source, operators)
        end_s = math.inf if request.budget_s is None else began_s + request.budget_s
        fuzzing = _Fuzzing(engine, draws, state, stopping, end_s)
        on_start(started.entry.name)
        try:
            reason = fuzzing.run(request, lambda done: on_progress(started.entry.name, done))
        except StoppedError:
            reason = f"interrupted by {interrupted[0]}"
        except HarnessError as error:
            reason = str(error)
        finally:
            save_state(state, request.folder)
    return FuzzResult(state=state, reason=reason)


@contextmanager
def _ended_with(engine: TargetRunner, stopping: threading.Event) -> Iterator[None]:
    """Ends the workers with the context, and at once if the command is stopped: this thread may wait for one."""
    is_over = threading.Event()

    def kill_when_stopped() -> None:
        stopping.wait()
        while not is_over.wait(_KILL_EACH_S):  # again and again, since a worker may be starting
            engine.kill()

    watcher = threading.Thread(target=kill_when_stopped, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        stopping.set()
        watcher.join()
        engine.end()


class _Fuzzing:
    """The checks of one command on a started engine; the state changes as they are done."""

    def __init__(
        self,
        engine: TargetRunner,
        draws: Draws,
        state: FuzzState,
        stopping: threading.Event,
        end_s: float,
    ) -> None:
        self._engine = engine
        self._draws = draws
        self._state = state
        self._stopping = stopping
        self._end_s = end_s
        self._problem = ""

    def run(self, request: FuzzRequest, on_done: Callable[[int], None]) -> str:
        """Run checks until they are enough; returns why the target cannot go on, or an empty text.

        Raises:
            StoppedError: the command was interrupted.
        """
        now_s = monotonic()
        end = now_s + _DRAWN * (self._end_s - now_s)
        self._shrink()
        while not self._problem and (request.checks is None or self._state.done < request.checks):
            if monotonic() >= end:
                break
            last = self._state.done + _BATCH
            self._run_batch(last if request.checks is None else min(last, request.checks), end, on_done)
            self._shrink()
            save_state(self._state, request.folder)
        return self._problem

    def _run_batch(self, last: int, end: float, on_done: Callable[[int], None]) -> None:
        asked = deque[tuple[int, MadeCheck]]()
        drawn = self._state.done

        def checks() -> Iterator[Check]:
            nonlocal drawn
            while drawn < last and not self._stopping.is_set() and monotonic() < end:
                made = self._draws.at(drawn)
                drawn += 1
                if made is not None:
                    asked.append((drawn, made))
                    yield made.check

        for record in self._engine.records(checks()):
            number, made = asked.popleft()
            if not record.verdict.meaning.was_asked:
                self._problem = record.explanation
                return
            self._state.done = number
            self._state.verdicts[record.verdict] += 1
            if record.verdict.meaning.exit_code is ExitCode.HARNESS and not self._state.unjudged:
                self._state.unjudged = f"{made.name}: {record.explanation}"
            cause = cause_of(made.check, record)
            if cause is not None:
                self._state.groups.add(cause, made, record.explanation)
            on_done(number)
        if self._stopping.is_set():
            raise StoppedError
        self._state.done = drawn

    def _shrink(self) -> None:
        """Shrink the witnesses of new causes that were not shrunk yet; withdraw those that do not show alone.

        An earlier check may have damaged the process in which a find appeared.
        """
        for group in self._state.groups.new:
            for witness in list(group.witnesses):
                if witness.is_shrunk or not group.cause.can_be_shrunk:
                    continue
                self._settle(group.cause, witness)
            group.drop_alike()

    def _settle(self, cause: FindCause, witness: FuzzWitness) -> None:
        if self._explanation_alone(cause, witness.made) is None:
            self._state.groups.withdraw(cause, witness)
            return
        plain = shrunk(witness.made, partial(self._shows, cause))
        explanation = None if plain is witness.made else self._explanation_alone(cause, plain)
        if explanation is not None:
            witness.made, witness.explanation = plain, explanation
        witness.is_shrunk = monotonic() < self._end_s

    def _explanation_alone(self, cause: FindCause, made: MadeCheck) -> str | None:
        """What is said of a check in a fresh process; None if its cause is another one there.

        Raises:
            StoppedError: the command was interrupted.
        """
        record = self._engine.record_alone(made.check)
        return record.explanation if cause_of(made.check, record) == cause else None

    def _shows(self, cause: FindCause, made: MadeCheck) -> bool:
        """Whether a check has the same cause.

        Raises:
            BudgetOverError: no time is left.
            StoppedError: the command was interrupted.
        """
        if monotonic() >= self._end_s:
            raise BudgetOverError
        for record in self._engine.records([made.check]):
            return cause_of(made.check, record) == cause
        raise StoppedError
