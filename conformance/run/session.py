"""Runs the checks of one target in order, whatever its worker does.

Requests are sent ahead of their answers, so that neither side waits. If the worker crashes or hangs, the check is
retried first in a fresh process; only the retry counts. After a crash, a check that already ran first in its process
is not retried. After a timeout, every check is retried, unless it runs alone.

A check that may damage memory runs alone: earlier checks would decide whether it crashes, and it could crash later
ones. Its process gets no further request once the call ran. The C library checks the heap of that process, so that the
outcome does not depend on what lies next to the damage. A damaged process may hang, so its time limit is shorter.

A session that needs many processes lets its worker fork for each of them (`fork_server`). If a fork crashes, the worker
reports it and continues. If the worker itself crashes, the session starts processes one by one instead.
"""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from conformance.protocol import messages
from conformance.protocol.frames import Frame, OversizedFrameError
from conformance.protocol.outcome import (
    OUT_OF_MEMORY,
    AdapterFailed,
    Crashed,
    Description,
    Effort,
    Killed,
    Measurement,
    NotDeclaredOutcome,
    NotExpressibleOutcome,
    NotMeasured,
    Outcome,
    Produced,
    RejectedOutcome,
    Stage,
    TimedOut,
    Unstable,
    UnsupportedOutcome,
)
from conformance.run.arena import heap_checks, kept_blocks
from conformance.run.dispatch import Dispatch, dispatch
from conformance.run.handshake import READY_BYTES, START_LIMIT_S, launched, shake_hands
from conformance.run.process import (
    SENT_BY_OTHERS,
    WorkerDiedError,
    WorkerProcess,
    WorkerTimeoutError,
    death_from_code,
)
from conformance.spec.check import Check
from conformance.suite.adapter_file import TargetRequest
from conformance.tensors.errors import HarnessError, ProtocolError, WorkerStartError
from conformance.tensors.tensor import Bytes
from conformance.tensors.text import without_folders

_WINDOW = 64
_WINDOW_BYTES = 32 << 20
_MAX_FAILURES_IN_A_ROW = 20
_NUM_SUSPECTS = 8
_ALONE_LIMIT_S = 10.0


class StoppedError(Exception):
    """The run was stopped while this session waited."""


class LastOfProcess(Enum):
    """Whether a process gets further requests after a check."""

    NEVER = "never"
    IF_RUN = "if run"
    """No further request, unless the framework rejected the call before it ran: a call that ran may have damaged
    memory.
    """
    ALWAYS = "always"


@dataclass(slots=True)
class _Pending:
    """A check that waits for its turn, with its request; with its outcome if there is nothing to send."""

    check: Check
    dispatched: Dispatch | None
    outcome: Outcome | None = None
    number: int = 0
    last: LastOfProcess = LastOfProcess.NEVER

    @property
    def runs_alone(self) -> bool:
        """Whether the request does not go to the shared process."""
        return self.last is not LastOfProcess.NEVER

    @property
    def is_sent_ahead(self) -> bool:
        """Whether the request may be sent before its turn."""
        return self.dispatched is not None and not self.runs_alone

    @property
    def nbytes(self) -> int:
        """Size of the request in bytes; 0 if there is nothing to send."""
        return 0 if self.dispatched is None else self.dispatched.nbytes


def no_check(_: Check) -> LastOfProcess:
    """A `last_of_process` that lets all checks share one process."""
    return LastOfProcess.NEVER


def every_check(_: Check) -> LastOfProcess:
    """A `last_of_process` that gives each check its own process."""
    return LastOfProcess.ALWAYS


class Session:
    """The worker of one target, restarted whenever it dies.

    Args:
        target_request: adapter and options.
        limit_s: seconds that a check may take.
        stopping: the caller sets it to end the session.
        last_of_process: whether a process gets further requests after a check; if not, the check runs alone.
        variables: added to the environment of the workers; by default, these keep freed blocks of memory.
        forks: whether the processes may be forks of one worker.
    """

    def __init__(  # noqa: PLR0913  (where its processes come from, and when they end)
        self,
        target_request: TargetRequest,
        limit_s: float,
        stopping: threading.Event,
        last_of_process: Callable[[Check], LastOfProcess] = no_check,
        variables: Mapping[str, str] | None = None,
        *,
        forks: bool = False,
    ) -> None:
        self._target_request = target_request
        self._limit_s = limit_s
        self._stopping = stopping
        self.last_of_process = last_of_process
        self._variables = kept_blocks() if variables is None else variables
        self._worker: WorkerProcess | None = None
        self._spare: WorkerProcess | None = None
        """The next worker, started ahead once the session has lost a worker or is about to: others will follow."""
        self._needs_spares = False
        self._wants_forks = forks
        self._is_by_forks = False
        """Whether the process that answers is a fork, whose end the worker survives."""
        self._is_fresh = False
        """Whether the process has had no request yet. Only its first request reports stages: a check that crashes later
        is retried.
        """
        self._numbers = itertools.count(1)
        self._pending: deque[_Pending] = deque()
        self._alone_session: Session | None = None
        self._answered: deque[str] = deque(maxlen=_NUM_SUSPECTS)
        self.before: tuple[str, ...] = ()
        """The names of the last few checks that the process answered before the most recent one."""
        self._last_good: Dispatch | None = None
        self._failures_in_a_row = 0
        self._given_up: HarnessError | None = None
        self.description: Description | None = None
        self.python = self.numpy = ""
        self.modules: Mapping[str, str] = {}
        self._takes_timing = self._says_what_is_loaded = False

    def start(self) -> Description:
        """Start the worker and perform the handshake.

        Raises:
            WorkerStartError: it cannot start, or does not speak the protocol.
            StoppedError: the run was stopped meanwhile.
        """
        self._worker = self._spare or self._launched()
        self._spare = self._next_spare()
        self._answered.clear()
        self._is_fresh = True
        try:
            handshake = shake_hands(self._worker, self._target_request)
        except WorkerStartError:
            self._raise_if_stopping()
            raise
        self._wants_forks = self._is_by_forks = handshake.by_forks
        self.description = self.description or handshake.description
        self.python, self.numpy, self.modules = handshake.python, handshake.numpy, handshake.modules
        self._takes_timing, self._says_what_is_loaded = handshake.timing, handshake.loaded
        return self.description

    def loaded_digest(self) -> str:
        """The digest of what a worker has loaded that has just started; empty if it does not say it.

        Raises:
            StoppedError: the run was stopped meanwhile.
        """
        if self._worker is None or not self._says_what_is_loaded:
            return ""
        self._worker.send(messages.what_is_loaded(str(self._target_request.adapter.folder)))
        try:
            return messages.loaded_from_frame(self._worker.receive(START_LIMIT_S, READY_BYTES))
        except (WorkerDiedError, WorkerTimeoutError, ProtocolError):
            self._raise_if_stopping()
            self._retire()
            return ""

    def _start_again(self) -> None:
        """Start a further worker of a target that has started before; if it cannot start, try once more.

        Raises:
            WorkerStartError, StoppedError: as for `start`.
        """
        self._raise_if_stopping()
        try:
            self.start()
        except WorkerStartError:
            if self._worker is not None:
                self._worker.kill()
            self.start()

    def _next_spare(self) -> WorkerProcess | None:
        return self._launched() if self._needs_spares else None

    def _launched(self) -> WorkerProcess:
        return launched(self._target_request, self._variables, forks=self._wants_forks)

    def stderr_tail(self) -> str:
        """The end of the worker's standard error, once it has ended."""
        return "" if self._worker is None else self._worker.stderr_tail()

    def unanswered(self) -> Iterator[Check]:
        """Takes back the checks that this session has not answered, in order."""
        while self._pending:
            yield self._pending.popleft().check

    def kill(self) -> None:
        """End the workers now; a thread that waits for one gets `StoppedError` if the run is stopping."""
        for worker in (self._worker, self._spare):
            if worker is not None:
                worker.kill()
        if self._alone_session is not None:
            self._alone_session.kill()

    def outcome_of(self, check: Check, answered: Dispatch | None = None, times: int = 1) -> Outcome:
        """The outcome of a single check, sent at once; the first check starts the worker if needed.

        `answered` is a request that another session of the target has answered. If many checks in a row fail, it is
        sent to find out whether this worker fails on everything. With several `times`, the check runs that often in one
        process, and the last answer counts.

        Raises:
            HarnessError: as for `answers`.
            StoppedError: the run was stopped.
        """
        if self.description is None:
            self._start_again()
        if self._given_up is not None:
            raise self._given_up
        self._last_good = self._last_good or answered
        item = self._prepared(check)
        if item.outcome is not None:
            return item.outcome
        for _ in range(times):
            self._pending.append(item)
            self._send(item)
            outcome = self._outcome(item)
            self._pending.popleft()
        self.before = tuple(self._answered)[:-1]
        if self._answered and _is_over(item.last, outcome):
            self._retire()
        return outcome

    def outcome_or_failure(self, check: Check, times: int = 1) -> Outcome:
        """The outcome of a single check. Once the target has failed for good, each outcome is `AdapterFailed`.

        Raises:
            WorkerStartError: no worker can start.
            StoppedError: the run was stopped.
        """
        try:
            return self.outcome_of(check, times=times)
        except WorkerStartError:
            raise
        except HarnessError as error:
            self._given_up = error
            return AdapterFailed(message=str(error))

    def answers(self, checks: Iterable[Check]) -> Iterator[tuple[Check, Outcome]]:
        """Each check with its outcome, in order.

        Raises:
            HarnessError: the worker fails on everything, breaks the protocol, or cannot be started again.
            StoppedError: the run was stopped.
        """
        source = iter(checks)
        while self._fill(source):
            item = self._pending[0]
            outcome = self._outcome_alone(item) if item.runs_alone else item.outcome or self._outcome(item)
            self.before = () if item.runs_alone else tuple(self._answered)[:-1]
            self._pending.popleft()
            yield item.check, outcome
            if self._given_up is not None and self._pending:
                raise self._given_up

    def finish(self) -> bool:
        """End the workers; let the shared one exit on its own. Returns whether it did not need killing."""
        try:
            return self._worker is None or self._worker.finish()
        finally:
            self.kill()

    def _fill(self, source: Iterator[Check]) -> bool:
        """Send requests ahead until the window is full; returns whether any check is left."""
        if len(self._pending) <= _WINDOW // 2:
            sent, size = len(self._pending), sum(item.nbytes for item in self._pending)
            while len(self._pending) < _WINDOW and size <= _WINDOW_BYTES:
                check = next(source, None)
                if check is None:
                    break
                item = self._prepared(check)
                self._pending.append(item)
                size += item.nbytes if item.is_sent_ahead else 0
            self._send_ahead(sent)
        return bool(self._pending)

    def _prepared(self, check: Check) -> _Pending:
        """The check with its request, or with the outcome that rules it out."""
        assert self.description is not None
        dispatched = dispatch(self.description, check)
        if not isinstance(dispatched, Dispatch):
            return _Pending(check, None, dispatched)
        return _Pending(check, dispatched, last=self.last_of_process(check))

    def _send_ahead(self, start: int) -> None:
        """Send the pending requests from place `start` on, so far as they may be sent before their turn."""
        self._send(*(item for item in itertools.islice(self._pending, start, None) if item.is_sent_ahead))

    def _send(self, *items: _Pending) -> None:
        """Send requests all at once: each waking of the thread that writes them costs as much as a request."""
        if not items:
            return
        if self._worker is None:
            self._start_again()
        assert self._worker is not None
        frames = list[Bytes]()
        for item in items:
            assert item.dispatched is not None
            if item.runs_alone and not self._is_by_forks:
                self._needs_spares = True
                self._spare = self._spare or self._launched()
            item.number = next(self._numbers)
            request = self._worker.arena.put(item.number, item.dispatched.request)
            frames += messages.request_to_bytes(item.number, request, stages=self._is_fresh)
            self._is_fresh = False
        self._worker.send(frames)

    def _outcome_alone(self, item: _Pending) -> Outcome:
        """The outcome from the session for checks that run alone, which sends nothing ahead."""
        if self._alone_session is None:
            limit_s, variables = min(self._limit_s, _ALONE_LIMIT_S), {**kept_blocks(), **heap_checks()}
            self._alone_session = Session(
                self._target_request, limit_s, self._stopping, self.last_of_process, variables, forks=True
            )
        return self._alone_session.outcome_of(item.check, self._last_good)

    def _outcome(self, item: _Pending) -> Outcome:
        """The outcome of the first pending check. If it ends the worker, the other requests are sent again."""
        assert item.dispatched is not None
        number = item.number
        first = self._answer(item)
        if not isinstance(first, _Failure):
            if item.number != number:  # asked again, of a process that has no other request yet
                self._send_ahead(1)
            self._answered.append(_named(item.check))
            self._failures_in_a_row = 0
            self._last_good = item.dispatched
            return item.dispatched.marked_lowered(first)
        suspects = tuple(self._answered)
        alone: Outcome | _Failure = first
        if suspects or (isinstance(first.outcome, TimedOut) and not item.runs_alone):
            self._restart()
            self._send(item)
            alone = self._answer(item)
            self._answered.append(_named(item.check))
        if isinstance(alone, _Failure):
            self._given_up = self._reason_to_give_up()
            if self._given_up is not None:
                return alone.outcome
            self._restart()
            outcome: Outcome = item.dispatched.marked_lowered(alone.outcome)
        elif isinstance(first.outcome, AdapterFailed):
            outcome = first.outcome
        elif first.text == OUT_OF_MEMORY:  # with what earlier checks had left in the process
            outcome = item.dispatched.marked_lowered(alone)
        else:
            outcome = Unstable(first=first.text, alone=alone.tag, suspects=suspects, stderr=first.stderr)
        self._send_ahead(1)
        return outcome

    def _answer(self, item: _Pending) -> Outcome | _Failure:
        """The answer to one request. If the process ended in a way that says nothing about the check, a fresh one gets
        the request; a second kill counts.
        """
        answer = self._receive(item)
        if isinstance(answer, _Failure) and (answer.is_of_all_forks or isinstance(answer.outcome, Killed)):
            self._restart()
            self._send(item)
            answer = self._receive(item)
        return answer

    def _receive(self, item: _Pending) -> Outcome | _Failure:
        """The answer to one request.

        Raises:
            HarnessError: the message is not an answer to it.
        """
        assert self._worker is not None
        assert item.dispatched is not None
        stages: list[Stage] = []

        def is_aside(frame: Frame) -> bool:
            if self._is_by_forks and (death := messages.death_from_frame(frame)) is not None:
                return death[0] != item.number  # a crash after the answer does not count
            stage = messages.stage_from_frame(frame, item.number)
            stages[:] = [stage] if stage is not None else stages
            return stage is not None

        try:
            dispatched = item.dispatched
            frame = self._worker.receive(self._limit_s, dispatched.max_answer_bytes, is_aside, dispatched.memory_bytes)
        except WorkerDiedError as error:
            self._raise_if_stopping()
            is_of_all_forks = self._is_by_forks and error.death != OUT_OF_MEMORY
            failure = self._death(error.death, error.stderr, stages, is_of_all_forks=is_of_all_forks)
            self._wants_forks = self._wants_forks and not is_of_all_forks
            self._is_by_forks = False
            return failure
        except WorkerTimeoutError as error:
            self._is_by_forks = False
            return _Failure(TimedOut(limit_s=error.limit_s, stderr=error.stderr), str(error), error.stderr)
        except OversizedFrameError as error:
            self._is_by_forks = False
            return _Failure(self._too_large(error, item), error.what, "")
        except ProtocolError as error:
            self._raise_if_stopping()
            raise HarnessError(self._target_request.adapter.name, error.what, fix=error.fix) from None
        if self._is_by_forks and (death := messages.death_from_frame(frame)) is not None:
            self._raise_if_stopping()
            _, code, stderr = death
            return self._death(death_from_code(code), without_folders(stderr), stages)
        self._check_number(frame, item)
        answer = messages.answer_from_frame(frame, len(item.dispatched.request.runs))
        outcome = self._worker.arena.checked(item.number, answer)
        if self._worker.arena.is_closed:  # perhaps before `checked` read it
            self._raise_if_stopping()
        return outcome

    def _too_large(self, error: OversizedFrameError, item: _Pending) -> Outcome:
        """What an answer that was not read says of its outputs: their number, types and shapes."""
        assert item.dispatched is not None
        self._check_number(error.frame, item)
        answer = messages.answer_from_frame(error.frame, len(item.dispatched.request.runs), is_read=False)
        is_of_shapes = isinstance(answer, Produced) and not item.check.is_control
        return answer if is_of_shapes else AdapterFailed(message=error.what)

    def _death(self, death: str, stderr: str, stages: Sequence[Stage], *, is_of_all_forks: bool = False) -> _Failure:
        """The failure of a process that died: a crash, unless somebody else killed it."""
        assert self._worker is not None
        death = self._worker.cause_of_death(death)
        outcome: Outcome = Crashed(death=death, stderr=stderr, stage=stages[-1] if stages else None)
        if death in SENT_BY_OTHERS:
            outcome = Killed(death=death, stderr=stderr)
        return _Failure(outcome, death, stderr, is_of_all_forks)

    def _check_number(self, frame: Frame, item: _Pending) -> None:
        header = frame.header
        if header.get("type") == "answer" and header.get("id") == item.number:
            return
        given = f"{str(header.get('type'))[:40]} {str(header.get('id'))[:20]}"
        what = f"the adapter sent {given!r} where the answer to request {item.number} was due"
        raise HarnessError(self._target_request.adapter.name, what, fix="answer each request once, in order")

    def _reason_to_give_up(self) -> HarnessError | None:
        """Count a failure; returns an error if the worker now fails on every check, and not only on many.

        It does if many checks in a row failed, and the request that was answered last also fails when sent again.
        """
        self._failures_in_a_row += 1
        if self._failures_in_a_row < _MAX_FAILURES_IN_A_ROW:
            return None
        if self._last_good is not None and self._answers_again(self._last_good):
            self._failures_in_a_row = 0
            return None
        what = f"the worker failed on {_MAX_FAILURES_IN_A_ROW} checks in a row, and on one that it had answered before"
        if self._last_good is None:
            what = f"the worker failed on each of the first {_MAX_FAILURES_IN_A_ROW} checks"
        return HarnessError(
            self._target_request.adapter.name, what, fix="run one of the checks alone with --case to see why"
        )

    def _answers_again(self, dispatched: Dispatch) -> bool:
        self._restart()
        probe = _Pending(self._pending[0].check, dispatched)
        self._send(probe)
        return not isinstance(self._receive(probe), _Failure)

    def _restart(self) -> None:
        self._raise_if_stopping()
        self._needs_spares = not self._wants_forks
        self._retire()
        if self._worker is None:
            self._start_again()

    def _retire(self) -> None:
        """End the current process, so that the next request is the first of a fresh one."""
        self._answered.clear()
        if self._worker is not None and self._is_by_forks:
            self._worker.send(messages.next_process())
            self._worker.arena.clear()
            self._is_fresh = True
        elif self._worker is not None:
            self._worker.kill()
            self._worker = None

    def _raise_if_stopping(self) -> None:
        if self._stopping.is_set():
            raise StoppedError


@dataclass(frozen=True, slots=True)
class _Failure:
    """A process crashed, hung, or sent an oversized frame: the session needs a fresh one."""

    outcome: Outcome
    text: str
    stderr: str
    is_of_all_forks: bool = False
    """Whether the worker itself crashed and not one of its forks, so that the crash says nothing about a check."""


_LeftOut = UnsupportedOutcome | NotExpressibleOutcome | NotDeclaredOutcome


def _is_over(last: LastOfProcess, outcome: Outcome) -> bool:
    """Whether a process that answered a check gets no further request."""
    match last:
        case LastOfProcess.NEVER:
            return False
        case LastOfProcess.IF_RUN:
            was_rejected = isinstance(outcome, RejectedOutcome) and outcome.stage is Stage.PREPARING
            return not (was_rejected or isinstance(outcome, _LeftOut))
        case LastOfProcess.ALWAYS:
            return True
        case _:
            assert_never(last)


def _named(check: Check) -> str:
    return f"{check.case.id} ({check.form.value})"


# Times the checks of one target: a request and its answer, then rounds of timing it.
#
# Nothing is sent ahead, so that the worker has nothing else to do. If it ends, only the current case is lost.

_MEASURED_BYTES = 64 << 20
_NANOSECONDS = 1_000_000_000
_SPELLS = 24
"""A round measures a run and a copy, warms up each, and may take ten times its limit if calls are long."""


class TimingSession(Session):
    """A session whose worker keeps no freed memory, as in a program, and times the check of the last `outcome_of`.

    A round may take `limit_s` in addition to its own limit.
    """

    def __init__(self, target_request: TargetRequest, limit_s: float, stopping: threading.Event) -> None:
        super().__init__(target_request, limit_s, stopping, variables={})

    def _next_spare(self) -> None:
        """Starts no worker ahead, whose start would disturb the times."""

    def measure(self, effort: Effort) -> Measurement | NotMeasured:
        """One round of timing the check that ran last. If there is no valid answer, the worker is killed."""
        if self._worker is None:
            return NotMeasured(reason="its worker is gone")
        if not self._takes_timing:
            return NotMeasured(reason="its adapter takes no times")
        number = next(self._numbers)
        self._worker.send(messages.time_to_bytes(number, effort))
        try:
            spell_ns = max(effort.limit_ns, effort.warm_up_ns)
            frame = self._worker.receive(self._limit_s + _SPELLS * spell_ns / _NANOSECONDS, _MEASURED_BYTES)
            if frame.header.get("id") == number:
                return messages.measurement_from_frame(frame)
            reason = f"the adapter failed while it was timed: it answered another request than {number}"
        except WorkerDiedError as error:
            reason = f"crashed while it was timed: {error.death}"
        except WorkerTimeoutError as error:
            reason = f"hung while it was timed: {error}"
        except ProtocolError as error:
            reason = f"the adapter failed while it was timed: {error.what}"
        self._retire()
        return NotMeasured(reason=reason)
