from __future__ import annotations

import threading
from dataclasses import replace
from time import monotonic, sleep

import pytest
from split_cases import split_case

from conformance.records.build_record import not_run_record
from conformance.records.record import CheckRecord
from conformance.running.work_queue import WorkQueue, WorkShare
from conformance.spec.case import Value
from conformance.spec.check import Check
from conformance.spec.form import Form


def checks(count: int) -> list[Check]:
    case = split_case(Value(dtype="int8", shape=(2,)), [1, 1])
    return [Check(replace(case, id=f"toy/{number}"), Form.CONSTANT) for number in range(count)]


def record(check: Check) -> CheckRecord:
    return not_run_record(check, "toy@1", "")


def put_all(share: WorkShare[CheckRecord]) -> None:
    for check in share:
        share.put(record(check))


def divided(plan: list[Check]) -> tuple[WorkQueue[CheckRecord], list[CheckRecord]]:
    written: list[CheckRecord] = []
    return WorkQueue(iter(plan), written.append, threading.Event()), written


def test_records_are_written_in_the_order_of_their_checks() -> None:
    plan = checks(4)
    division, written = divided(plan)
    one, other = WorkShare(division), WorkShare(division)
    first, second, third, fourth = next(one), next(other), next(other), next(one)
    for share, check in ((other, second), (one, first), (one, fourth), (other, third)):
        share.put(record(check))
    assert written == [record(check) for check in plan]


def test_a_record_waits_for_those_before_it() -> None:
    division, written = divided(checks(2))
    one, other = WorkShare(division), WorkShare(division)
    next(one)
    other.put(record(next(other)))
    assert written == []


def test_each_check_is_taken_once() -> None:
    plan = checks(200)
    division, _ = divided(plan)
    taken: list[Check] = []
    threads = [threading.Thread(target=lambda: taken.extend(WorkShare(division))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(id, taken)) == sorted(map(id, plan))


def test_a_session_far_ahead_waits_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.running.work_queue.MAX_RECORDS_AHEAD", 2)
    plan = checks(5)
    division, written = divided(plan)
    slow, quick = WorkShare(division), WorkShare(division)
    first = next(slow)
    thread = threading.Thread(target=put_all, args=[quick])
    thread.start()
    sleep(0.05)
    assert thread.is_alive()
    slow.put(record(first))
    thread.join(10)
    assert written == [record(check) for check in plan]


def test_nobody_waits_when_the_run_is_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.running.work_queue.MAX_RECORDS_AHEAD", 0)
    stopping = threading.Event()
    stopping.set()
    division = WorkQueue[CheckRecord](iter(checks(2)), lambda _: None, stopping)
    slow, quick = WorkShare(division), WorkShare(division)
    next(slow)
    started = monotonic()
    quick.put(record(next(quick)))
    assert monotonic() - started < 10
