"""Runs checks on one target, from the request to the finished record.

An engine belongs to one thread or process. Its worker stays warm from one call of `records` to the next.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from conformance.formats.adapter_file import TargetRequest
from conformance.judging.deviation import Deviation
from conformance.records.attribution import attributed
from conformance.records.build_record import not_run_record, record_of
from conformance.records.confirmation import Confirmation
from conformance.records.record import CheckRecord
from conformance.records.twins import Twins
from conformance.running.target import StartedTarget, start_target
from conformance.spec.check import Check
from conformance.spec.outcome import AdapterFailed, Outcome
from conformance.values.errors import HarnessError
from conformance.workers.session import Session, every_check


class TargetEngine:
    """The worker of one target, with further ones that repeat deviations, and run controls and twins.

    Args:
        request: adapter and options.
        recorded: the deviations that its adapter records.
        limit_s: seconds that a check may take.
        stopping: the caller sets it to end the engine.
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
        started = self._target = start_target(self._request, self._session, self._recorded)
        self._problem = started.entry.problem
        self._confirmation = Confirmation(_SingleChecks(self._retries).outcome, self._record)
        self._controls.last_of_process = started.last_of_process
        self._control_forms = self._session.description.controls if self._session.description is not None else ()
        self._ask_control = _SingleChecks(self._controls).outcome
        self._twins = Twins(self._ask_control)
        return started

    def records(self, checks: Iterable[Check]) -> Iterator[CheckRecord]:
        """The record of each check, in order; *not run* once the adapter has failed for good.

        Checks are taken ahead of their records, as many as fit into the worker's window.

        Raises:
            StoppedError: the engine was stopped.
        """
        for check, record, before in self._judged(iter(checks)):
            confirmed = self._confirmation.confirmed(check, record, before)
            yield attributed(check, confirmed, self._ask_control, self._control_forms)

    def kill(self) -> None:
        """End the workers now."""
        for session in (self._session, self._retries, self._controls):
            session.kill()

    def end(self) -> None:
        """End the workers, after the first one has left in peace."""
        self._session.finish()
        self.kill()

    def _judged(self, checks: Iterator[Check]) -> Iterator[tuple[Check, CheckRecord, tuple[str, ...]]]:
        """Each check with its first record, and the checks before it in the same process."""
        unanswered: list[Check] = []
        if not self._problem:
            try:
                for check, outcome in self._session.answers(checks):
                    yield check, self._record(check, outcome), self._session.before
            except HarnessError as error:
                if not self._stopping.is_set():
                    failed, *unanswered = self._session.unanswered()
                    self._problem = str(error)
                    yield failed, self._record(failed, AdapterFailed(message=self._problem)), ()
        for check in chain(unanswered, checks if self._problem else ()):
            if not self._stopping.is_set():
                yield check, not_run_record(check, self._target.entry.name, self._problem), ()

    def _record(self, check: Check, outcome: Outcome) -> CheckRecord:
        twin = self._twins.answer(check, outcome)
        return record_of(check, self._target.entry.name, outcome, self._target.deviations, twin)


class _SingleChecks:
    """Runs single checks in a session, each as soon as it is requested."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._problem = ""

    def outcome(self, check: Check, times: int = 1) -> Outcome:
        """The last outcome of a check that runs so often in one process; `AdapterFailed` if the target cannot start or
        has failed for good.

        Raises:
            StoppedError: the run was stopped.
        """
        if not self._problem:
            try:
                return self._session.outcome_of(check, times=times)
            except HarnessError as error:
                self._problem = str(error)
        return AdapterFailed(message=self._problem)
