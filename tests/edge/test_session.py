"""Sessions: requests that run ahead of their answers, large tensors, several targets at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from gallery import Log, read_log, write_liar

from conformance.protocol.form import Form
from conformance.protocol.messages import Handshake
from conformance.protocol.outcome import Crashed, Outcome, Produced, RejectedOutcome, TimedOut
from conformance.run.handshake import shake_hands
from conformance.run.run import run
from conformance.run.run_plan import RunRequest
from conformance.run.selection import Selection, checks_of, families_selected
from conformance.run.session import LastOfProcess, Session
from conformance.spec.check import Check
from conformance.spec.verdict import Verdict
from conformance.suite.adapter_file import TargetRequest, bundled_adapters, read_adapter
from conformance.suite.suite import Suite
from conformance.tensors.errors import UsageError
from conformance.tensors.tensor import Tensor

SHAKE_HANDS = "conformance.run.session.shake_hands"


def checks(suite: Suite, case: str) -> list[Check]:
    selection = Selection(cases=(f"*/{case}",), forms=(Form.CONSTANT,))
    return list(checks_of(families_selected(suite, selection), selection))


def session(folder: Path, limit_s: float = 20.0) -> Session:
    return Session(TargetRequest(adapter=read_adapter(folder), options={}), limit_s, threading.Event())


def noting(plan: Iterable[Check], taken: list[Check]) -> Iterator[Check]:
    for check in plan:
        taken.append(check)
        yield check


def counted_handshakes(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """A list that grows with each handshake."""
    found: list[object] = []

    def counted(*given: Any) -> Handshake:
        found.append(given)
        return shake_hands(*given)

    monkeypatch.setattr(SHAKE_HANDS, counted)
    return found


def runs_of(outcome: Outcome) -> Sequence[Sequence[Tensor]]:
    assert isinstance(outcome, Produced)
    return outcome.runs


@pytest.mark.slow
def test_questions_run_ahead_of_their_answers(tmp_path: Path, liars_suite: Suite) -> None:
    plan, taken = checks(liars_suite, "many*"), list[Check]()
    worker = session(write_liar(tmp_path, "speaks_honestly"))
    worker.start()
    answers = worker.answers(noting(plan, taken))
    assert next(answers)[0] is plan[0]
    assert taken == plan
    assert [check for check, _ in answers] == plan[1:]


@pytest.mark.slow
def test_large_questions_do_not_run_ahead_beyond_their_limit(
    tmp_path: Path, liars_suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.run.session._WINDOW_BYTES", 1000)
    taken: list[Check] = []
    worker = session(write_liar(tmp_path, "speaks_honestly"))
    worker.start()
    answers = worker.answers(noting(checks(liars_suite, "many*"), taken))
    next(answers)
    assert 1000 < sum(8 * number + 24 for number in range(1, len(taken) + 1)) < 1500
    assert len(list(answers)) == 59


@pytest.mark.slow
def test_the_answers_of_two_hundred_megabytes_of_questions_come_in_order(tmp_path: Path, liars_suite: Suite) -> None:
    (check,) = checks(liars_suite, "eight-mebibytes*")
    worker = session(write_liar(tmp_path, "returns_a_generator"))
    worker.start()
    outcomes = [outcome for _, outcome in worker.answers([check] * 25)]
    assert [type(outcome) for outcome in outcomes] == [Produced] * 25
    sizes = {tuple(len(tensor.data) for tensor in runs_of(outcome)[0]) for outcome in outcomes}
    assert sizes == {(8, (8 << 20) - 8)}


def test_a_check_is_repeated_only_where_others_came_before_it_in_its_process(
    tmp_path: Path, liars_suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    handshakes = counted_handshakes(monkeypatch)
    (bait,), (first,) = checks(liars_suite, "bait"), checks(liars_suite, "first")
    worker = session(write_liar(tmp_path, "segfaults"))
    worker.start()
    outcomes = [type(outcome) for _, outcome in worker.answers([first, bait, bait, bait, first])]
    assert outcomes == [Produced, Crashed, Crashed, Crashed, Produced]
    assert len(handshakes) == 5  # one at the start, one to ask the first bait again, one after each death


@pytest.mark.slow
def test_a_check_that_damages_memory_runs_apart_and_the_process_of_the_others_goes_on(
    tmp_path: Path, liars_suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    handshakes = counted_handshakes(monkeypatch)
    (bait,), (first,) = checks(liars_suite, "bait"), checks(liars_suite, "first")
    worker = session(write_liar(tmp_path, "damages_what_follows"))
    worker.last_of_process = lambda check: LastOfProcess.IF_RUN if check is bait else LastOfProcess.NEVER
    worker.start()
    outcomes = [outcome for _, outcome in worker.answers([first, bait, first, bait, first])]
    assert [runs_of(outcome) for outcome in outcomes[::2]] == [runs_of(outcomes[0])] * 3
    assert runs_of(outcomes[1]) == runs_of(outcomes[3])
    assert len(handshakes) == 3


def test_a_process_apart_is_kept_where_the_framework_refused_before_it_ran(
    tmp_path: Path, liars_suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    handshakes = counted_handshakes(monkeypatch)
    (bait,) = checks(liars_suite, "bait")
    worker = session(write_liar(tmp_path, "has_no_memory_to_prepare"))
    worker.last_of_process = lambda _: LastOfProcess.IF_RUN
    worker.start()
    assert [type(outcome) for _, outcome in worker.answers([bait] * 3)] == [RejectedOutcome] * 3
    assert len(handshakes) == 2


@pytest.mark.slow
def test_a_process_apart_that_hangs_does_not_run_twice(
    tmp_path: Path, liars_suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    handshakes = counted_handshakes(monkeypatch)
    (bait,) = checks(liars_suite, "bait")
    worker = session(write_liar(tmp_path, "hangs"), limit_s=1.0)
    worker.last_of_process = lambda _: LastOfProcess.IF_RUN
    worker.start()
    assert [type(outcome) for _, outcome in worker.answers([bait])] == [TimedOut]
    assert len(handshakes) == 3  # of the session, of the process apart, and of the one that takes its place


@pytest.mark.slow
def test_a_tensor_of_256_mebibytes_passes(liars_suite: Suite, tmp_path: Path) -> None:
    numpy = next(adapter for adapter in bundled_adapters() if adapter.name == "numpy")
    log = run_on(liars_suite, [TargetRequest(adapter=numpy, options={})], tmp_path, "quarter-gibibyte")
    assert [record.verdict for record in log.records] == [Verdict.PASS]
    assert log.path.stat().st_size < 10_000


@pytest.mark.slow
def test_a_large_wrong_result_is_recorded_in_few_bytes(liars_suite: Suite, tmp_path: Path) -> None:
    liar = TargetRequest(adapter=read_adapter(write_liar(tmp_path, "narrows_int64")), options={})
    log = run_on(liars_suite, [liar], tmp_path, "large-specials")
    (record,) = log.records
    assert (record.cause, record.differences[0].output) == ("truncated to 32 bits", 1)
    assert record.differences[0].differing > 300_000
    assert log.path.stat().st_size < 30_000


@pytest.mark.slow
@pytest.mark.parametrize(("jobs", "verdict"), [(2, Verdict.PASS), (1, Verdict.TIMED_OUT)])
def test_as_many_targets_run_at_a_time_as_there_are_jobs(
    liars_suite: Suite, tmp_path: Path, jobs: int, verdict: Verdict
) -> None:
    folders = [write_liar(tmp_path, "waits_for_company", alias) for alias in ("one", "other")]
    targets = [TargetRequest(adapter=read_adapter(folder), options={}) for folder in folders]
    log = run_on(liars_suite, targets, tmp_path, "bait", jobs=jobs, limit_s=60.0 if jobs > 1 else 0.5)
    assert log.records[0].verdict is verdict


@pytest.mark.slow
def test_several_workers_of_one_target_write_the_log_of_one(
    liars_suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.run.execution._CHECKS_WORTH_A_WORKER", 1)
    logs = []
    for jobs in (1, 3):
        liar = TargetRequest(adapter=read_adapter(write_liar(tmp_path / str(jobs), "segfaults")), options={})
        logs.append(run_on(liars_suite, [liar], tmp_path / str(jobs), "?a*", jobs=jobs))
    verdicts = [[(record.case, record.verdict) for record in log.records] for log in logs]
    assert verdicts[0] == verdicts[1]
    assert Verdict.CRASHED in {record.verdict for record in logs[1].records}


def test_one_target_cannot_be_named_twice(liars_suite: Suite, tmp_path: Path) -> None:
    target = TargetRequest(adapter=read_adapter(write_liar(tmp_path, "speaks_honestly")), options={})
    with pytest.raises(UsageError) as error:
        run_on(liars_suite, [target, target], tmp_path, "bait")
    assert str(error.value) == "target 'speaks_honestly@1.0': is named twice\n  fix:  name each target once"


@pytest.mark.slow
def test_a_command_that_does_not_exist_is_reported_and_does_not_run(liars_suite: Suite, tmp_path: Path) -> None:
    (tmp_path / "adapter.yaml").write_text("{name: absent, summary: a liar, command: [no-such-program]}")
    log = run_on(liars_suite, [TargetRequest(adapter=read_adapter(tmp_path), options={})], tmp_path, "bait")
    assert log.problem("absent").startswith("adapter: the command 'no-such-program' cannot be started: ")
    assert [record.verdict for record in log.records] == [Verdict.NOT_RUN]


@pytest.mark.slow
def test_a_version_that_is_not_installed_is_reported_and_does_not_run(liars_suite: Suite, tmp_path: Path) -> None:
    adapter = read_adapter(write_liar(tmp_path, "speaks_honestly"))
    log = run_on(liars_suite, [TargetRequest(adapter=adapter, options={}, version="2.0")], tmp_path, "bait")
    assert log.header.targets[0].name == "speaks_honestly@2.0"
    assert log.problem("speaks_honestly") == (
        "speaks_honestly: version 2.0 was requested, but 1.0 is installed\n  fix:  install it, or leave the version out"
    )


def run_on(  # noqa: PLR0913
    suite: Suite, targets: list[TargetRequest], folder: Path, case: str, *, jobs: int = 1, limit_s: float = 60.0
) -> Log:
    request = RunRequest(
        suite=suite,
        selection=Selection(cases=(f"*/{case}",), forms=(Form.CONSTANT,)),
        targets=tuple(targets),
        log=folder / "run.jsonl",
        timeout_s=limit_s,
        jobs=jobs,
    )
    run(request, lambda _: None, lambda _, __: None)
    return read_log(request.log)
