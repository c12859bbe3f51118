"""A session that is asked single checks, each as soon as it is known."""

from __future__ import annotations

from conformance.spec.check import Check
from conformance.spec.outcome import AdapterFailed, Outcome
from conformance.values.errors import HarnessError
from conformance.workers.session import Session


class SingleChecks:
    """Answers a check as soon as it is asked. With a session of `every_check`, each is asked as the first of a fresh
    process.

    Args:
        session: started with the first check, unless it was before.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.problem = ""
        """Why the target cannot be asked anything more."""

    def outcome(self, check: Check, times: int = 1) -> Outcome:
        """What the target does with a check; `AdapterFailed` where it cannot start, and after it failed for good.

        With several `times`, it is what it does with the check when one process is asked it for the last time.

        Raises:
            StoppedError: the run was told to end.
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
