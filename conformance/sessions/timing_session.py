"""Times the checks of one target: a request and its answer, then rounds of timing it.

Nothing is sent ahead, so that the worker has nothing else to do. If it ends, only the current case is lost.
"""

from __future__ import annotations

import threading

from conformance.border import messages
from conformance.border.measurement import Effort, Measurement, NotMeasured
from conformance.formats.adapter_file import TargetRequest
from conformance.sessions.process import WorkerDiedError, WorkerTimeoutError
from conformance.sessions.session import Session
from conformance.values.errors import ProtocolError

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
