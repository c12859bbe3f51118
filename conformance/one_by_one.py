"""One target asked single checks, as somebody else's test runner comes to them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator

from conformance.adapter_file import TargetRequest
from conformance.errors import HarnessError
from conformance.outcome import AdapterFailed
from conformance.plan import Check
from conformance.record import CheckRecord
from conformance.recording import not_run_record, record_of
from conformance.session import Session
from conformance.target import start_target


class OneByOne:
    """A session of a target that answers a check as soon as it is asked.

    Args:
        request: adapter and options.
        limit_s: seconds that a check may take.
    """

    def __init__(self, request: TargetRequest, limit_s: float) -> None:
        self._session = Session(request, limit_s, threading.Event())
        self._target = start_target(request, self._session)
        self._problem = self._target.entry.problem
        self._waiting = _Waiting()
        self._answers = self._session.answers(self._waiting)

    def ask(self, check: Check) -> CheckRecord:
        """The record of a check; *not run* where the target could not start, or its adapter has failed for good."""
        name = self._target.entry.name
        if self._problem:
            return not_run_record(check, name, self._problem)
        self._waiting.checks.append(check)
        try:
            _, outcome = next(self._answers)
        except HarnessError as error:
            self._problem = str(error)
            outcome = AdapterFailed(message=self._problem)
        return record_of(check, name, outcome, self._target.deviations)

    def end(self) -> None:
        """End the worker."""
        self._session.kill()


class _Waiting(Iterator[Check]):
    """The check that was asked and not yet taken; without one the session is told that there is none for now."""

    def __init__(self) -> None:
        self.checks: deque[Check] = deque()

    def __next__(self) -> Check:
        if not self.checks:
            raise StopIteration
        return self.checks.popleft()
