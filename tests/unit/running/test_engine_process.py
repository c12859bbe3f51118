from __future__ import annotations

from multiprocessing import Pipe
from multiprocessing.connection import Connection

import pytest

from conformance.running.engine_process import Done, FinishedCheck, Reply, _Outbox

LINES = [FinishedCheck(number, b"{}\n", "pass") for number in range(3)]


@pytest.fixture
def near_and_outbox() -> tuple[Connection, _Outbox]:
    near, far = Pipe(duplex=False)
    return near, _Outbox(far)


def test_lines_of_a_moment_travel_in_order(near_and_outbox: tuple[Connection, _Outbox]) -> None:
    near, outbox = near_and_outbox
    for line in LINES:
        outbox.put(line)
    assert received(near, LINES[-1]) == LINES
    assert not near.poll(0.2)


def test_a_line_does_not_wait_for_another_one(near_and_outbox: tuple[Connection, _Outbox]) -> None:
    near, outbox = near_and_outbox
    for line in LINES:
        outbox.put(line)
        assert near.recv() == [line]


def test_the_last_answer_of_an_order_follows_its_lines(near_and_outbox: tuple[Connection, _Outbox]) -> None:
    near, outbox = near_and_outbox
    last = Done()
    for line in LINES:
        outbox.put(line)
    outbox.put(last)
    assert near.poll(0)
    assert received(near, last) == [*LINES, last]


def received(near: Connection, last: Reply) -> list[Reply]:
    """The answers until the last one, from however many messages."""
    answers: list[Reply] = []
    while last not in answers:
        answers += near.recv()
    return answers
