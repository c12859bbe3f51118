"""Times the checks of one target in a worker of its own: a request, its answer, then rounds of timing it.

Nothing is sent ahead, so that the worker has nothing else to do. If it ends, only the current case is lost.
"""

from __future__ import annotations

import itertools

from conformance.border import messages
from conformance.border.measurement import Effort, Measurement, NotMeasured
from conformance.border.messages import Handshake
from conformance.border.outcome import AdapterFailed, Crashed, Killed, Outcome, TimedOut
from conformance.border.protocol import Frame
from conformance.formats.adapter_file import TargetRequest
from conformance.language.check import Check
from conformance.sessions.dispatch import Dispatch, dispatch
from conformance.sessions.handshake import launched, shake_hands
from conformance.sessions.process import WorkerDiedError, WorkerProcess, WorkerTimeoutError
from conformance.values.errors import HarnessError, ProtocolError
from conformance.values.tensor import Bytes

_MEASURED_BYTES = 64 << 20
_NANOSECONDS = 1_000_000_000
_SPELLS = 24
"""A round measures a run and a copy, warms up each, and may take ten times its limit if calls are long."""


class TimingSession:
    """A worker of one target, restarted after it was lost.

    Args:
        target_request: adapter and options.
        limit_s: seconds that an answer may take; a round may take this in addition to its own limit.
    """

    def __init__(self, target_request: TargetRequest, limit_s: float) -> None:
        self._target_request = target_request
        self._limit_s = limit_s
        self._worker: WorkerProcess | None = None
        self._handshake: Handshake | None = None
        self._numbers = itertools.count(1)

    def run_check(self, check: Check) -> Outcome:
        """The outcome of a check, which `measure` then measures.

        Raises:
            HarnessError: the worker cannot be started.
        """
        worker, handshake = self._started()
        dispatched = dispatch(handshake.description, check)
        if not isinstance(dispatched, Dispatch):
            return dispatched
        try:
            number = next(self._numbers)
            request = messages.request_to_bytes(number, worker.arena.put(number, dispatched.request))
            frame = self._received(worker, number, request, self._limit_s, dispatched.max_answer_bytes)
            answer = messages.answer_from_frame(frame, len(dispatched.request.runs))
            return dispatched.marked_lowered(worker.arena.checked(number, answer))
        except WorkerDiedError as error:
            how = Killed if worker.is_killed_by_others(error.death) else Crashed
            return how(death=error.death, stderr=error.stderr)
        except WorkerTimeoutError as error:
            return TimedOut(limit_s=error.limit_s, stderr=error.stderr)
        except ProtocolError as error:
            return AdapterFailed(message=error.what)

    def measure(self, effort: Effort) -> Measurement | NotMeasured:
        """One round of timing the check that ran last."""
        if self._worker is None or self._handshake is None:
            return NotMeasured(reason="its worker is gone")
        if not self._handshake.takes_timing:
            return NotMeasured(reason="its adapter takes no times")
        limit_s = self._limit_s + _SPELLS * max(effort.limit_ns, effort.warm_up_ns) / _NANOSECONDS
        number = next(self._numbers)
        request = messages.time_to_bytes(number, effort)
        try:
            frame = self._received(self._worker, number, request, limit_s, _MEASURED_BYTES)
            return messages.measurement_from_frame(frame)
        except WorkerDiedError as error:
            return NotMeasured(reason=f"crashed while it was timed: {error.death}")
        except WorkerTimeoutError as error:
            return NotMeasured(reason=f"hung while it was timed: {error}")
        except ProtocolError as error:
            return NotMeasured(reason=f"the adapter failed while it was timed: {error.what}")

    def kill(self) -> None:
        """End the worker."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def _started(self) -> tuple[WorkerProcess, Handshake]:
        if self._worker is None or self._handshake is None:
            self._worker = launched(self._target_request)
            self._handshake = shake_hands(self._worker, self._target_request)
        return self._worker, self._handshake

    def _received(
        self, worker: WorkerProcess, number: int, message: list[Bytes], limit_s: float, max_bytes: int
    ) -> Frame:
        """The answer to a message. If it is missing or invalid, the worker is killed."""
        worker.send(message)
        try:
            frame = worker.receive(limit_s, max_bytes)
            if frame.header.get("id") != number:
                raise ProtocolError("adapter", f"it answered another request than {number}")
        except (WorkerDiedError, WorkerTimeoutError, HarnessError):
            self.kill()
            raise
        return frame
