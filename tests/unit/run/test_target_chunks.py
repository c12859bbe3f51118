from __future__ import annotations

import io
import json
from dataclasses import replace

from bundled import cases_of_operators

from conformance.log.log_file import RunLogWriter
from conformance.log.record import ShardEntry, TargetEntry
from conformance.protocol.form import Form
from conformance.run.execution import RunTarget, TargetChunks
from conformance.run.run_plan import RunPlan, run_plan_of
from conformance.run.selection import Selection, families_selected

SELECTION = Selection(operators=("onnx.Split-13",), clauses=("axis.range",), forms=(Form.CONSTANT,))


def plan() -> RunPlan:
    families = families_selected(cases_of_operators("onnx.Split"), SELECTION)
    return run_plan_of(families, SELECTION, None)


def chunks_of(plan: RunPlan, problem: str = "", done: int = 0) -> tuple[TargetChunks, io.BytesIO]:
    target = RunTarget(entry=TargetEntry(name="a@1", adapter="toy", problem=problem), recorded=[], done=done)
    stream = io.BytesIO()
    return TargetChunks(plan, target, RunLogWriter(stream, {}), size=2), stream


def lines(*numbers: int) -> list[tuple[bytes, str]]:
    return [(b"%d" % number, "pass") for number in numbers]


def finish(chunks: TargetChunks, number: int, found: list[tuple[bytes, str]]) -> None:
    chunks.finish(number, found)
    chunks.write()


def test_lines_are_written_in_the_order_of_the_plan() -> None:
    chunks, stream = chunks_of(plan())
    finish(chunks, 2, lines(2, 3))
    assert stream.getvalue() == b""
    finish(chunks, 0, lines(0))
    assert stream.getvalue().split() == [b"0"]
    finish(chunks, 1, lines(1))
    assert stream.getvalue().split() == [b"0", b"1", b"2", b"3"]


def test_a_chunk_that_comes_twice_is_written_once() -> None:
    chunks, stream = chunks_of(plan())
    finish(chunks, 2, lines(2, 3))
    finish(chunks, 2, [(b"late", "pass")])
    finish(chunks, 0, lines(0, 1))
    finish(chunks, 0, [(b"late", "pass")])
    finish(chunks, 4, lines(4))
    assert stream.getvalue().split() == [b"0", b"1", b"2", b"3", b"4"]


def test_the_first_chunk_given_back_is_the_next_one() -> None:
    chunks, _ = chunks_of(plan())
    first, second = chunks.take(), chunks.take()
    chunks.give_back(first)
    chunks.give_back(second)
    assert [chunks.take().number for _ in range(3)] == [0, 2, 4]


def test_a_chunk_far_ahead_has_to_wait() -> None:
    chunks, _ = chunks_of(plan())
    first = chunks.take()
    assert first.number == 0
    assert chunks.has_next(max_ahead=2)
    assert not chunks.has_next(max_ahead=1)
    finish(chunks, 0, lines(0, 1))
    assert chunks.has_next(max_ahead=0)


def test_a_target_that_did_not_start_has_a_record_of_every_check_with_the_reason() -> None:
    whole = plan()
    chunks, stream = chunks_of(whole, problem="no licence left", done=1)
    records = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert len(records) == whole.planned - 1 > 2
    assert {(record["verdict"], record["explanation"]) for record in records} == {("not run", "no licence left")}
    assert chunks.is_finished
    assert chunks.num_chunks == chunks.num_checks == 0


def test_what_is_given_up_waits_for_the_chunks_that_still_run() -> None:
    chunks, stream = chunks_of(plan())
    chunks.take()
    chunks.give_up("no machine")
    assert stream.getvalue() == b""
    finish(chunks, 0, lines(0, 1))
    assert stream.getvalue().splitlines()[:2] == [b"0", b"1"]
    assert chunks.is_finished


def test_the_record_of_a_skipped_check_of_a_shard_has_its_place_in_the_whole_plan() -> None:
    whole = plan()
    shard = ShardEntry(number=2, of=2, whole=whole.planned)
    places = range(1, whole.planned, 2)
    chunks, stream = chunks_of(replace(whole, places=places, shard=shard))
    chunks.give_up("no machine")
    chunks.write()
    assert [json.loads(line)["place"] for line in stream.getvalue().splitlines()] == list(places)
