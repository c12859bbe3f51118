"""A session for single checks, each answered as soon as it is known."""

from __future__ import annotations

from conformance.spec.check import Check
from conformance.spec.outcome import AdapterFailed, Outcome
from conformance.values.errors import HarnessError
from conformance.workers.session import Session


class SingleChecks:
    """Answers one check at a time. With a session of `every_check`, each runs first in a fresh process.

    Args:
        session: started with the first check, unless it already was.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.problem = ""
        """Why the target can answer nothing more."""

    def outcome(self, check: Check, times: int = 1) -> Outcome:
        """The outcome of a check; `AdapterFailed` if the target cannot start, and after it failed for good.

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
        """The checks that the process answered before the last one, as far as they are remembered."""
        return self._session.before()

    def end(self) -> None:
        """End the worker."""
        self._session.kill()
