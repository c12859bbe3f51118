"""What each process gets to do, and in which command lines reach the log."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import pytest

from conformance.log.log_file import RunLogWriter
from conformance.log.record import TargetEntry
from conformance.run.execution import ChildProcess, ChunkQueue, Command, Done, Finish, FinishedCheck, RunTarget, Work
from conformance.run.run_plan import RunPlan
from conformance.run.selection import Selection


@dataclass(slots=True, eq=False)
class Process:
    """A process that notes its orders."""

    targets: set[int] = field(default_factory=set)


def process(*targets: int) -> ChildProcess:
    return cast("ChildProcess", Process(set(targets)))


def target(name: str, problem: str = "", done: int = 0) -> RunTarget:
    return RunTarget(entry=TargetEntry(name=name, adapter="toy", problem=problem), recorded=[], done=done)


def queue(planned: int, targets: Sequence[RunTarget]) -> tuple[ChunkQueue, io.BytesIO]:
    cases = [(0, 0, (1 << planned) - 1)]
    plan = RunPlan(families=(), selection=Selection(), cases=cases, starts=(0,), places=range(planned))
    stream = io.BytesIO()
    return ChunkQueue(plan, targets, RunLogWriter(stream, {})), stream


def chunk_number(command: Command | None) -> int:
    assert isinstance(command, Work)
    return command.chunk.number


def line(number: int) -> FinishedCheck:
    return FinishedCheck(number, b"%d" % number, "pass")


def test_chunks_are_given_out_in_the_order_of_the_plan() -> None:
    chunks, _ = queue(300, [target("a@1")])
    one, other = process(0), process(0)
    assert [chunk_number(chunks.next_command(who)) for who in (one, other, one)] == [0, 128, 256]
    assert chunks.next_command(other) == Finish(0)


def test_lines_are_written_in_the_order_of_their_checks() -> None:
    chunks, stream = queue(300, [target("a@1")])
    one, other = process(0), process(0)
    first, second = chunks.next_command(one), chunks.next_command(other)
    assert first is not None
    assert second is not None
    chunks.take(other, second, line(128))
    assert stream.getvalue() == b""
    for number in range(128):
        chunks.take(one, first, line(number))
    assert stream.getvalue().splitlines() == [b"%d" % number for number in range(129)]


def test_a_process_goes_on_with_its_target_before_it_starts_another() -> None:
    chunks, _ = queue(600, [target("a@1"), target("b@1")])
    orders = [chunks.next_command(process(1)) for _ in range(2)]
    assert [command.target for command in orders if command is not None] == [1, 1]


def test_few_checks_start_no_further_process() -> None:
    chunks, _ = queue(200, [target("a@1")])
    assert chunks.next_command(process()) is None


def test_a_process_ends_the_workers_of_a_target_that_is_done() -> None:
    chunks, _ = queue(100, [target("a@1", done=100), target("b@1")])
    assert chunks.next_command(process(0, 1)) == Finish(0)


def test_a_chunk_goes_back_if_the_target_does_not_start_there() -> None:
    chunks, _ = queue(300, [target("a@1")])
    one = process()
    command = chunks.next_command(one)
    assert command is not None
    chunks.take(one, command, Done(problem="no licence left"))
    assert chunks.next_command(one) is None
    assert chunk_number(chunks.next_command(process())) == 0


def test_a_process_far_ahead_waits_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.run.execution._MAX_CHECKS_AHEAD", 128)
    chunks, _ = queue(1000, [target("a@1")])
    slow, quick = process(0), process(0)
    first = chunks.next_command(slow)
    assert first is not None
    assert chunk_number(chunks.next_command(quick)) == 128
    assert chunks.next_command(quick) is None
    for number in range(128):
        chunks.take(slow, first, line(number))
    assert chunk_number(chunks.next_command(quick)) == 256
