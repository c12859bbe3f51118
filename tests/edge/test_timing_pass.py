"""The timing pass over real worker processes: who is right gets a time, and everybody else a reason."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from gallery import write_liar

from conformance.log.record import TimingRecord
from conformance.protocol.outcome import Effort, Measurement, NotMeasured, Outcome, Produced, Samples
from conformance.run.run import TimingPass, checks_to_time
from conformance.run.selection import Selection
from conformance.run.session import TimingSession
from conformance.spec.case import expected_outputs
from conformance.spec.check import Check
from conformance.suite.adapter_file import TargetRequest, bundled_adapters, read_adapter
from conformance.suite.suite import Suite
from conformance.tensors.errors import UsageError

SHORT = Effort(
    rounds=2,
    warm_up_ns=100_000,
    batch_ns=10_000,
    min_samples=7,
    max_samples=7,
    limit_ns=10_000_000,
    width_percent=5,
)
FIRST, BAIT, LAST = (f"openvino.VariadicSplit-1/time-{name}" for name in ("first", "bait", "last"))

TimeThem = Callable[..., dict[str, TimingRecord]]


@pytest.fixture
def time_them(tmp_path: Path, liars_suite: Suite) -> TimeThem:
    """Times liars in one pass; the records by case where there is one liar, else by its name and case."""

    def time_them(*names: str, limit_s: float = 20.0) -> dict[str, TimingRecord]:
        found: list[TimingRecord] = []
        stopping = threading.Event()
        requests = {name: TargetRequest(adapter=read_adapter(write_liar(tmp_path, name)), options={}) for name in names}
        TimingPass(
            checks=checks_to_time(liars_suite, Selection()),
            targets={name: TimingSession(request, limit_s, stopping) for name, request in requests.items()},
            effort=SHORT,
            on_record=found.append,
            stopping=stopping,
        ).run()
        return {one.case if len(names) == 1 else f"{one.target} {one.case}": one for one in found}

    return time_them


@pytest.mark.slow
def test_each_round_measures_preparing_the_first_run_and_steady_runs(time_them: TimeThem) -> None:
    record = time_them("narrows_int64")[FIRST]
    assert record.reason == ""
    assert (record.dtype, record.shape, record.axis, record.nbytes, record.parts) == ("float32", [6], 0, 24, 2)
    assert [len(record.prepare_ns), len(record.first_run_ns)] == [2, 2]
    assert record.run is not None
    assert record.copy is not None
    assert record.run.samples == record.copy.samples == 14
    assert record.run.median_ns > 5 * record.copy.median_ns
    assert not record.is_framework_alone


def test_a_target_that_is_wrong_gets_no_time_but_a_reason(time_them: TimeThem) -> None:
    records = time_them("swaps_outputs")
    assert [records[case].run is None for case in (FIRST, BAIT, LAST)] == [False, True, False]
    assert records[BAIT].reason == "wrong result: outputs swapped"
    assert records[BAIT].prepare_ns == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("liar", "reason"),
    [
        ("dies_while_timed", "crashed while it was timed: SIGSEGV"),
        ("hangs_while_timed", "hung while it was timed: no answer within 2.24 s"),
        ("cannot_be_bound", "while it was timed: RuntimeError: not now"),
        ("segfaults", "crashed: process died while running: SIGSEGV"),
        ("says_unsupported", "unsupported: not yet"),
    ],
)
def test_what_goes_wrong_costs_one_case_and_is_reported(time_them: TimeThem, liar: str, reason: str) -> None:
    records = time_them(liar, limit_s=2.0)
    assert {case: record.reason for case, record in records.items()} == {FIRST: "", BAIT: reason, LAST: ""}


@pytest.mark.slow
def test_a_faulty_target_does_no_harm_to_another(time_them: TimeThem) -> None:
    records = time_them("dies_while_timed", "cannot_be_bound")
    failed = {name for name, record in records.items() if record.reason}
    assert failed == {f"dies_while_timed {BAIT}", f"cannot_be_bound {BAIT}"}


def test_an_adapter_that_takes_no_times_has_none(time_them: TimeThem) -> None:
    records = time_them("speaks_honestly")
    assert {record.reason for record in records.values()} == {"its adapter takes no times"}


@pytest.mark.slow
def test_one_that_cannot_start_has_a_reason_for_each_case(time_them: TimeThem) -> None:
    records = time_them("cannot_import")
    assert len(records) == 3
    assert all("it cannot start" in record.reason for record in records.values())


@pytest.mark.slow
def test_a_bundled_adapter_times_the_call_of_its_framework_alone(liars_suite: Suite) -> None:
    (numpy,) = (adapter for adapter in bundled_adapters() if adapter.name == "numpy")
    session = TimingSession(TargetRequest(adapter=numpy, options={}), 20.0, threading.Event())
    (check, *_) = checks_to_time(liars_suite, Selection())
    session.outcome_of(check)
    measured = session.measure(SHORT)
    session.kill()
    assert isinstance(measured, Measurement)
    assert measured.is_framework_alone


def test_nothing_is_measured_before_a_request() -> None:
    (numpy,) = (adapter for adapter in bundled_adapters() if adapter.name == "numpy")
    session = TimingSession(TargetRequest(adapter=numpy, options={}), 20.0, threading.Event())
    assert session.measure(SHORT) == NotMeasured(reason="its worker is gone")


def test_a_selection_without_a_timed_case_is_refused(liars_suite: Suite) -> None:
    with pytest.raises(UsageError, match="none of the selected cases is in the set `timing`"):
        checks_to_time(liars_suite, Selection(cases=("*/first",)))


@dataclass
class Recorder:
    """A session that writes down what it is told, answers rightly, and measures nothing."""

    name: str
    calls: list[str]

    def outcome_of(self, check: Check) -> Outcome:
        self.calls.append(f"ask {self.name} {check.case.id.partition('-1/time-')[2]}")
        return Produced(runs=(expected_outputs(check.case.expectation, check.case),))

    def measure(self, _: Effort) -> Measurement:
        self.calls.append(f"measure {self.name}")
        samples = Samples(loops=1, elapsed_ns=(1,))
        return Measurement(prepare_ns=1, first_run_ns=1, run=samples, copy=samples)

    def kill(self) -> None:
        self.calls.append(f"kill {self.name}")


def recorded_pass(suite: Suite, calls: list[str], on_record: Callable[[TimingRecord], None]) -> TimingPass:
    targets = {name: cast("TimingSession", Recorder(name, calls)) for name in ("a", "b")}
    checks = checks_to_time(suite, Selection())[:2]
    return TimingPass(checks=checks, targets=targets, effort=SHORT, on_record=on_record, stopping=threading.Event())


@pytest.mark.slow
def test_targets_take_turns_and_another_one_begins_each_round(liars_suite: Suite) -> None:
    calls: list[str] = []
    timing = recorded_pass(liars_suite, calls, lambda _: None)
    timing.checks = timing.checks[:1]
    timing.run()
    assert calls == [
        *("ask a first", "ask b first", "measure a", "measure b", "measure b", "measure a", "kill a", "kill b"),
    ]


def test_what_a_resumed_log_has_is_not_timed_again(liars_suite: Suite) -> None:
    calls: list[str] = []
    timing = recorded_pass(liars_suite, calls, lambda _: None)
    timing.done = {("a", FIRST), ("b", FIRST), ("a", BAIT)}
    timing.run()
    assert calls == ["ask b bait", "measure b", "measure b", "kill a", "kill b"]


def test_a_pass_that_is_stopped_reports_no_more(liars_suite: Suite) -> None:
    found: list[TimingRecord] = []

    def stop(record: TimingRecord) -> None:
        timing.stopping.set()
        found.append(record)

    timing = recorded_pass(liars_suite, [], stop)
    timing.run()
    assert {record.case for record in found} == {FIRST}


def test_a_pass_that_hangs_ends_when_it_is_stopped(tmp_path: Path, liars_suite: Suite) -> None:
    found: list[TimingRecord] = []
    request = TargetRequest(adapter=read_adapter(write_liar(tmp_path, "hangs_while_timed")), options={})
    stopping = threading.Event()
    timing = TimingPass(
        checks=checks_to_time(liars_suite, Selection()),
        targets={"liar": TimingSession(request, 120.0, stopping)},
        effort=SHORT,
        on_record=found.append,
        stopping=stopping,
    )
    thread = threading.Thread(target=timing.run)
    thread.start()
    while not found:
        thread.join(0.1)
    timing.stopping.set()
    thread.join(60)
    assert not thread.is_alive()
    assert [record.case for record in found] == [FIRST]
