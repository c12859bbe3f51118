"""A run on machines that answer, refuse, stall or are lost, as Dask's client shows them. `tests/lab` has real ones."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from bundled import cases_of_operators

from conformance.log.log_file import RunLogWriter
from conformance.log.record import TargetEntry
from conformance.protocol.form import Form
from conformance.run.execution import RunTarget
from conformance.run.lab_remote import TARGET, LabFile, PlainFields
from conformance.run.run_plan import RunPlan, RunRequest, run_plan_of
from conformance.run.selection import Selection, families_selected
from conformance.suite.adapter_file import target_from_text
from conformance.suite.suite import Suite

pytest.importorskip("distributed")
from conformance.run import lab
from conformance.run.lab import LabExecution

SELECTION = Selection(operators=("onnx.Split-13",), clauses=("axis.range",), forms=(Form.CONSTANT,))
DESCRIBED = TARGET.dump_json(RunTarget(entry=TargetEntry(name="numpy@2", adapter="numpy", version="2"), recorded=[]))

Answer = Callable[[PlainFields], Any]
"""What a machine does with a chunk: the lines, a reason to refuse, an error that it raises, or None if it hangs."""


def suite() -> Suite:
    return cases_of_operators("onnx.Split")


def lines_of(chunk: PlainFields) -> list[tuple[bytes, str]]:
    return [(b'{"number":%d}' % (chunk["number"] + place), "pass") for place in range(len(chunk["places"]))]


class Answered:
    """The future of a task."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer
        self.status = "pending" if answer is None else "error" if isinstance(answer, Exception) else "finished"

    def add_done_callback(self, listener: Callable[[object], None]) -> None:
        if self.status != "pending":
            listener(self)

    def result(self, _: float) -> Any:
        return self._answer

    def exception(self) -> Exception:
        return cast("Exception", self._answer)

    def release(self) -> None: ...

    def cancel(self) -> None: ...


class Lab:
    """The client of a scheduler with these machines; `leave` is how many looks a machine stays."""

    def __init__(self, machines: dict[str, Answer], offers: dict[str, float], leave: dict[str, int]) -> None:
        self.status = "running"
        self._machines = machines
        self._offers = offers
        self._left = leave
        self.chunks: list[tuple[str, int]] = []

    @property
    def scheduler(self) -> Lab:
        return self

    def sync(
        self, question: Callable[[int], dict[str, Any]], n_workers: int, callback_timeout: float
    ) -> dict[str, Any]:
        assert callback_timeout > 0
        return question(n_workers)

    def identity(self, n_workers: int) -> dict[str, Any]:
        assert n_workers == -1
        self._left = {name: looks - 1 for name, looks in self._left.items()}
        here = [name for name in self._machines if self._left.get(name, 1) >= 0]
        return {"workers": {name: {"resources": self._offers} for name in here}}

    def submit(self, _: object, __: object, *chunk: PlainFields, workers: list[str], **___: object) -> Answered:
        if not chunk:
            return Answered(DESCRIBED)
        self.chunks.append((workers[0], chunk[0]["number"]))
        return Answered(self._machines[workers[0]](chunk[0]))

    def close(self, timeout: float) -> None: ...


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "_LOOK_EACH_S", 0.01)
    monkeypatch.setattr(lab, "_TICK_S", 0.01)


def plan() -> RunPlan:
    return run_plan_of(families_selected(suite(), SELECTION), SELECTION, None)


def run(
    machines: dict[str, Answer], offers: dict[str, float] | None = None, leave: dict[str, int] | None = None, **lab: Any
) -> tuple[list[dict[str, Any]], Lab, list[str], str]:
    """The lines of the log, the lab, what the user is told, and why the run is not complete."""
    targets = (target_from_text("numpy"),)
    request = RunRequest(
        suite=suite(), selection=SELECTION, targets=targets, log=Path("run.jsonl"), timeout_s=7, jobs=1
    )
    client, said, stream = Lab(machines, offers or {}, leave or {}), list[str](), io.BytesIO()
    settings = LabFile(**{"chunk_checks": 2, "machine_limit_s": 0.1, "chunk_limit_s": 0.1, **lab})
    execution = LabExecution(request, threading.Event(), client=cast("Any", client), lab=settings, say=said.append)
    found = execution.started()
    reason = execution.run(plan(), found, RunLogWriter(stream, {}), lambda: None)
    execution.end()
    return [json.loads(line) for line in stream.getvalue().splitlines()], client, said, reason


def numbers(log: list[dict[str, Any]]) -> list[int]:
    return [line["number"] for line in log]


def test_all_machines_work_and_the_log_is_in_order() -> None:
    log, lab, said, reason = run({"a": lines_of, "b": lines_of})
    assert numbers(log) == list(range(plan().planned))
    assert {machine for machine, _ in lab.chunks} == {"a", "b"}
    assert (said, reason) == ([], "")


def test_a_machine_that_refuses_is_named_once_and_gets_nothing_more() -> None:
    log, lab, said, _ = run({"a": lambda _: "other cases", "b": lines_of})
    assert numbers(log) == list(range(plan().planned))
    assert said == ["a does not take part in numpy: other cases"]
    assert [machine for machine, _ in lab.chunks].count("a") == 1


def test_a_chunk_whose_task_fails_goes_to_another_machine() -> None:
    def fails_once(chunk: PlainFields) -> Any:
        tried.append(chunk["number"])
        return RuntimeError("no memory left") if len(tried) == 1 else lines_of(chunk)

    tried: list[int] = []
    log, *_ = run({"a": fails_once, "b": lines_of})
    assert numbers(log) == list(range(plan().planned))


def test_a_stalled_machine_loses_its_chunk_and_no_target_is_blamed() -> None:
    log, lab, *_ = run({"a": lambda _: None, "b": lines_of})
    assert numbers(log) == list(range(plan().planned))
    assert [machine for machine, _ in lab.chunks].count("a") == 1


def test_the_chunk_of_a_machine_that_leaves_goes_to_another() -> None:
    log, lab, *_ = run({"a": lambda _: None, "b": lines_of}, leave={"a": 3}, chunk_limit_s=60)
    assert numbers(log) == list(range(plan().planned))
    assert [machine for machine, _ in lab.chunks].count("a") == 1


def test_a_chunk_that_every_machine_loses_is_not_run_with_all_reasons() -> None:
    def fails(chunk: PlainFields) -> Any:
        return RuntimeError("no memory left") if chunk["number"] == 0 else lines_of(chunk)

    log, *_ = run({"a": fails}, retries=1)
    assert {line["verdict"] for line in log[:2]} == {"not run"}
    assert (
        log[0]["explanation"] == "lost by 2 machines: a: RuntimeError: no memory left; a: RuntimeError: no memory left"
    )
    assert numbers(log[2:]) == list(range(2, plan().planned))


def test_without_a_machine_that_offers_what_is_needed_every_check_is_not_run() -> None:
    log, lab, *_ = run({"a": lines_of}, offers={"cuda": 0}, needs={"numpy": {"cuda": 1}})
    assert len(log) == plan().planned
    reasons = {(line["verdict"], line["explanation"]) for line in log}
    assert reasons == {("not run", "no machine of the lab offers cuda=1 (waited 0.1 s)")}
    assert lab.chunks == []


def test_a_broken_connection_ends_the_run_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lab, "submit", breaks_at_a_chunk(lambda lab: setattr(lab, "status", "closed")))
    log, _, _, reason = run({"a": lines_of})
    assert log == []
    assert reason == "the scheduler was lost: the connection broke"


def test_a_scheduler_that_gives_no_answer_ends_the_run_after_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    def mute(*_: object, **__: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(Lab, "submit", breaks_at_a_chunk(lambda lab: setattr(lab, "sync", mute)))
    log, _, _, reason = run({"a": lines_of}, silence_limit_s=0.1)
    assert log == []
    assert reason == "the scheduler was lost: it gave no answer in 0.1 s"


def test_a_scheduler_that_answers_again_before_the_limit_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    mute = iter([TimeoutError, TimeoutError])

    def answers(lab: Lab, *about: Any, **limits: Any) -> dict[str, Any]:
        for error in mute:
            raise error
        return heard(lab, *about, **limits)

    heard = Lab.sync
    monkeypatch.setattr(Lab, "sync", answers)
    log, _, _, reason = run({"a": lines_of})
    assert (numbers(log), reason) == (list(range(plan().planned)), "")


def breaks_at_a_chunk(break_it: Callable[[Lab], None]) -> Callable[..., Answered]:
    """A lab that breaks when it gets a chunk."""

    def submit(lab: Lab, _: object, __: object, *chunk: PlainFields, **___: object) -> Answered:
        if chunk:
            break_it(lab)
        return Answered(None if chunk else DESCRIBED)

    return submit
