"""How far one command can feed a lab: its own code for handing out chunks and writing lines, with simulated machines.

A simulated machine answers a chunk of ready lines after the time that a real one would take. So what is measured is the
command itself: how many checks a second it can hand out and write, and how much memory that takes.
"""

from __future__ import annotations

import heapq
import resource
import sys
import tempfile
import threading
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from time import monotonic
from typing import Any

from conformance.log.log_file import RunLogWriter
from conformance.log.record import TargetEntry
from conformance.run.execution import RecordLine, RunTarget
from conformance.run.lab import LabExecution
from conformance.run.lab_remote import TARGET, LabFile, PlainFields
from conformance.run.run_plan import Chunk, RunPlan, RunRequest
from conformance.run.selection import Selection, checks_of, families_selected
from conformance.suite.adapter_file import released_suite, target_from_text
from conformance.suite.suite import Suite

LINE = (
    b'{"type":"check","target":"numpy@2.4.6","case":"onnx.Split-13/unequal[dtype=float32]","form":"constant"'
    + b" " * 300
)
CHUNK_S = 0.5


class SimulatedClient:
    """Machines that answer after a while, without doing anything."""

    status = "running"

    def __init__(self, machines: int) -> None:
        self._machines: dict[str, dict[str, Any]] = {
            f"tcp://m{number}": {"resources": {}} for number in range(machines)
        }
        self._due: list[tuple[float, int, SimulatedFuture]] = []
        self._changed = threading.Condition()
        self._number = 0
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def scheduler(self) -> SimulatedClient:
        """The client answers in its place."""
        return self

    def identity(self) -> dict[str, Any]:
        """All machines."""
        return {"workers": self._machines}

    def sync(self, question: Callable[[], dict[str, Any]], **_: Any) -> dict[str, Any]:
        """The answer to a question."""
        return question()

    def submit(self, _: Callable[..., Any], __: object, *chunk: PlainFields, **___: Any) -> SimulatedFuture:
        """The answer to a chunk, later; a description comes at once."""
        is_chunk = bool(chunk)
        future = SimulatedFuture([(LINE, "pass")] * len(chunk[0]["places"]) if is_chunk else DESCRIBED)
        with self._changed:
            self._number += 1
            heapq.heappush(self._due, (monotonic() + (CHUNK_S if is_chunk else 0), self._number, future))
            self._changed.notify()
        return future

    def close(self, timeout: float) -> None:
        """Nothing is open."""

    def _serve(self) -> None:
        while True:
            with self._changed:
                while not self._due or self._due[0][0] > monotonic():
                    self._changed.wait(self._due[0][0] - monotonic() if self._due else None)
                future = heapq.heappop(self._due)[2]
            future.finish()


class SimulatedFuture:
    """The answer of a simulated machine."""

    status = "pending"

    def __init__(self, answer: bytes | list[RecordLine]) -> None:
        self._answer = answer
        self._listeners: list[Callable[[object], None]] = []
        self._lock = threading.Lock()

    def add_done_callback(self, listener: Callable[[object], None]) -> None:
        """Call it once the answer is there."""
        with self._lock:
            if self.status == "pending":
                self._listeners.append(listener)
                return
        listener(self)

    def finish(self) -> None:
        """The answer is there."""
        with self._lock:
            self.status = "finished"
        for listener in self._listeners:
            listener(self)

    def result(self, timeout: float) -> bytes | list[RecordLine]:  # noqa: ARG002
        """The answer, which is there."""
        return self._answer

    def release(self) -> None:
        """Nothing is held."""

    def cancel(self) -> None:
        """Nothing runs."""


ENTRY = TargetEntry(name="numpy@2.4.6", adapter="numpy", version="2.4.6")
DESCRIBED = TARGET.dump_json(RunTarget(entry=ENTRY, recorded=[]))


class LongPlan(RunPlan):
    """A plan of so many checks, none of which is ever made."""

    def chunk(self, number: int, size: int = 128) -> Chunk:
        """A chunk of that many checks."""
        return Chunk(number=number, cases=((0, 0, 1),), places=range(number, min(number + size, self.planned)))


def main() -> None:
    """Print rates and memory for 10, 100 and 1,000 machines."""
    suite, selection = released_suite(["onnx.Split-11"]), Selection(operators=("onnx.Split-11",))
    families = families_selected(suite, selection)
    start = monotonic()
    count = sum(1 for _ in checks_of(families, selection))
    print(f"planning: {count / (monotonic() - start):,.0f} checks a second, in the command alone")
    for machines, checks in ((10, 20_000), (100, 200_000), (1000, 2_000_000)):
        plan = LongPlan(families=families, selection=selection, cases=((0, 0, 1),), starts=(0,), places=range(checks))
        taken = simulated_s(suite, plan, machines)
        ideal = checks / (machines * 128 / CHUNK_S)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 10 if sys.platform == "linux" else 1 << 20)
        print(
            f"{machines:5} machines, {checks:9,} checks: {checks / taken:9,.0f} checks a second, "
            f"{ideal / taken:4.0%} of what the machines can do, peak memory {memory:.0f} MiB"
        )


def simulated_s(suite: Suite, plan: RunPlan, machines: int) -> float:
    """Seconds that the command takes for a plan whose checks are answered by so many simulated machines."""
    with tempfile.TemporaryDirectory() as folder:
        request = RunRequest(
            suite=suite,
            selection=plan.selection,
            targets=(target_from_text("numpy"),),
            log=Path(folder, "run.jsonl"),
            timeout_s=30,
            jobs=1,
        )
        client: Any = SimulatedClient(machines)
        execution = LabExecution(request, threading.Event(), client=client, lab=LabFile(), say=print)
        targets = execution.started()
        with FileIO(Path(folder, "run.jsonl"), "w") as stream:
            start = monotonic()
            execution.run(plan, targets, RunLogWriter(stream, {}), lambda: None)
            return monotonic() - start


if __name__ == "__main__":
    main()
