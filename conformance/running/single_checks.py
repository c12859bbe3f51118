"""Runs single checks in a session, each as soon as it is requested."""

from __future__ import annotations

from conformance.spec.check import Check
from conformance.spec.outcome import AdapterFailed, Outcome
from conformance.values.errors import HarnessError
from conformance.workers.session import Session


class SingleChecks:
    """Runs one check at a time. With a session of `every_check`, each runs first in a fresh process.

    Args:
        session: starts with the first check, unless it has already started.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.problem = ""
        """Why the target cannot run any more checks; empty if it can."""

    def outcome(self, check: Check, times: int = 1) -> Outcome:
        """The outcome of a check; `AdapterFailed` if the target cannot start or has failed for good.

        With several `times`, the check runs that often in one process, and the last outcome counts.

        Raises:
            StoppedError: the run was stopped.
        """
        if self.problem:
            return AdapterFailed(message=self.problem)
        try:
            return self._session.outcome_of(check, times=times)
        except HarnessError as error:
            self.problem = str(error)
            return AdapterFailed(message=self.problem)

    def before(self) -> tuple[str, ...]:
        """The names of the last few checks that the process answered before the most recent one."""
        return self._session.before()

    def end(self) -> None:
        """End the worker."""
        self._session.kill()
