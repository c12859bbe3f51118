"""Runs checks on one target, from the request to the finished record.

A runner belongs to one thread or process. Its worker stays warm from one call of `records` to the next.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

from conformance.judge.deviation import Deviation
from conformance.log.build_record import not_run_record, record_of
from conformance.log.record import CheckRecord
from conformance.protocol.outcome import AdapterFailed, Description, Outcome
from conformance.run.confirmation import Confirmation, Twins, attributed
from conformance.run.session import Session, every_check
from conformance.run.target import StartedTarget, start_target
from conformance.spec.check import Check
from conformance.suite.adapter_file import TargetRequest
from conformance.tensors.errors import HarnessError, WorkerStartError


class TargetRunner:
    """The worker of one target, with further ones that repeat deviations, and run controls and twins.

    Args:
        request: adapter and options.
        recorded: the deviations that its adapter records.
        limit_s: seconds that a check may take.
        stopping: the caller sets it to end the runner.
    """

    def __init__(
        self, request: TargetRequest, recorded: Sequence[Deviation], limit_s: float, stopping: threading.Event
    ) -> None:
        self._request = request
        self._recorded = recorded
        self._stopping = stopping
        self._session = Session(request, limit_s, stopping)
        self._retries = Session(request, limit_s, stopping, every_check, forks=True)
        self._controls = Session(request, limit_s, stopping, forks=True)
        self._problem = ""

    def start(self) -> StartedTarget:
        """Start the worker; the target's `problem` says if it cannot start."""
        started = self.target = start_target(self._request, self._session, self._recorded)
        self._problem = started.entry.problem
        self._confirmation = Confirmation(_SingleChecks(self._retries).outcome, self._judged)
        self._controls.last_of_process = started.last_of_process
        self._control_forms = self._session.description.controls if self._session.description is not None else ()
        self._ask_control = _SingleChecks(self._controls).outcome
        self._twins = Twins(self._ask_control)
        return started

    @cached_property
    def bound_target(self) -> StartedTarget:
        """The target with the digest of what its worker has loaded, which is asked for before the first check."""
        return replace(self.target, entry=replace(self.target.entry, loaded_digest=self._session.loaded_digest()))

    @property
    def description(self) -> Description:
        """What the adapter of a target that has started says of it."""
        assert self._session.description is not None
        return self._session.description

    def records(self, checks: Iterable[Check]) -> Iterator[CheckRecord]:
        """The record of each check, in order; *not run* once the adapter has failed for good.

        Checks are taken ahead of their records, as many as fit into the worker's window.

        Raises:
            StoppedError: the runner was stopped.
        """
        source = iter(checks)
        if not self._problem:
            for check, outcome, before in self._answers(source):
                yield self._record_of(check, outcome, before)
                if self._problem:
                    break
        for check in chain(self._session.unanswered(), source if self._problem else ()):
            if not self._stopping.is_set():
                yield self._unrun(check)

    def record_alone(self, check: Check) -> CheckRecord:
        """The record of a check that is the first and only one of a fresh process, without its control.

        Raises:
            WorkerStartError: no worker can start.
            StoppedError: the runner was stopped.
        """
        return self._judged(check, _SingleChecks(self._retries).outcome(check))

    def kill(self) -> None:
        """End the workers now."""
        for session in (self._session, self._retries, self._controls):
            session.kill()

    def end(self) -> bool:
        """End the workers, letting the shared one exit on its own. Returns whether it did not need killing."""
        ended = self._session.finish()
        self.kill()
        return ended

    def stderr_tail(self) -> str:
        """The end of the standard error of the shared worker, once it has ended."""
        return self._session.stderr_tail()

    def _answers(self, checks: Iterator[Check]) -> Iterator[tuple[Check, Outcome, tuple[str, ...]]]:
        """Each check with its outcome and the checks before it in the same process, until no worker can go on."""
        try:
            for check, outcome in self._session.answers(checks):
                yield check, outcome, self._session.before
        except HarnessError as error:
            self._problem = str(error)
            if not isinstance(error, WorkerStartError):
                yield next(self._session.unanswered()), AdapterFailed(message=self._problem), ()

    def _record_of(self, check: Check, outcome: Outcome, before: tuple[str, ...]) -> CheckRecord:
        """The record of a check, with all that its judgement asks for; *not run* if no worker can start for that."""
        try:
            confirmed = self._confirmation.confirmed(check, self._judged(check, outcome), before)
            return attributed(check, confirmed, self._ask_control, self._control_forms)
        except WorkerStartError as error:
            self._problem = str(error)
            return self._unrun(check)

    def _judged(self, check: Check, outcome: Outcome) -> CheckRecord:
        twin = self._twins.answer(check, outcome)
        return record_of(check, self.target.entry.name, outcome, self.target.deviations, twin)

    def _unrun(self, check: Check) -> CheckRecord:
        return not_run_record(check, self.target.entry.name, self._problem)


class _SingleChecks:
    """Runs single checks in a session, each as soon as it is requested."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._problem = ""

    def outcome(self, check: Check, times: int = 1) -> Outcome:
        """The last outcome of a check that runs so often in one process; `AdapterFailed` if the target has
        failed for good.

        Raises:
            WorkerStartError: no worker can start.
            StoppedError: the run was stopped.
        """
        if not self._problem:
            try:
                return self._session.outcome_of(check, times=times)
            except WorkerStartError:
                raise
            except HarnessError as error:
                self._problem = str(error)
        return AdapterFailed(message=self._problem)
