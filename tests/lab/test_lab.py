"""A run in a lab: the log of a local one, whatever happens to scheduler and workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import pytest
import yaml
from command import run_command, run_python, run_to
from gallery import LIARS, MadeOnce, read_log, write_liar
from machines import Lab, lab_of, without_times

from conformance.spec.verdict import Verdict

pytest.importorskip("distributed")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups")

SLOW = ("--target", "./takes_its_time", "--cases-folder", str(LIARS / "cases"), "--case", "*/many*", "-q")
LIMIT_S = 120
NO_ANSWER = "the scheduler was lost: it gave no answer in 3 s"
"""On a busy machine the silence of a dead scheduler may be noticed before its broken connection is."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a slow adapter, and a lab file for small chunks."""
    write_liar(tmp_path, "takes_its_time")
    lab = {"chunk_checks": 10, "chunk_limit_s": 6, "machine_limit_s": 3, "silence_limit_s": 3, "retries": 2}
    (tmp_path / "lab.yaml").write_text(yaml.safe_dump(lab))
    return tmp_path


def start_in(lab: Lab, folder: Path) -> subprocess.Popen[bytes]:
    """A run of the slow adapter in the lab, once its log has records."""
    command = [sys.executable, "-P", "-m", "conformance", "run", *SLOW, "--output", "out"]
    command += ["--scheduler", lab.scheduler.address, "--lab", "lab.yaml"]
    with (folder / "said").open("wb") as said:
        run = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=said)
    wait_until(lambda: len(records_in(folder / "out")) >= 10)
    return run


def records_in(folder: Path) -> list[str]:
    log = folder / "run.jsonl"
    return without_times(log) if log.is_file() else []


def wait_until(is_so: Callable[[], bool]) -> None:
    limit = monotonic() + LIMIT_S
    while not is_so():
        assert monotonic() < limit
        sleep(0.05)


@pytest.fixture
def local_records(made_once: MadeOnce) -> list[str]:
    """The records of a local run of the slow adapter."""

    def run_in(folder: Path) -> None:
        write_liar(folder, "takes_its_time")
        run_to(folder, "run", *SLOW, "--output", "local")

    return records_in(made_once("slow-local-run", run_in) / "local")


def test_the_log_is_that_of_a_local_run(tmp_path: Path) -> None:
    chosen = ("run", "-q", "--target", "numpy", "--operator", "onnx.Split-11", "--clause", "split.sum")
    run_to(tmp_path, *chosen, "--output", "local")
    with lab_of(2) as lab:
        run_to(tmp_path, *chosen, "--output", "out", "--scheduler", lab.scheduler.address)
    assert records_in(tmp_path / "out") == records_in(tmp_path / "local") != []


@pytest.mark.slow
def test_a_killed_worker_loses_nothing_and_blames_no_target(folder: Path, local_records: list[str]) -> None:
    with lab_of(2) as lab:
        run = start_in(lab, folder)
        lab.workers[0].end()
        assert run.wait(LIMIT_S) == 0
    assert records_in(folder / "out") == local_records


@pytest.mark.slow
def test_a_killed_process_of_a_framework_accuses_nobody(folder: Path, local_records: list[str]) -> None:
    with lab_of(1) as lab:
        run = start_in(lab, folder)
        assert lab.workers[0].kill_frameworks() > 0
        assert run.wait(LIMIT_S) == 0
    assert records_in(folder / "out") == local_records


@pytest.mark.slow
def test_the_chunk_of_a_stalled_worker_goes_to_another_one(folder: Path, local_records: list[str]) -> None:
    with lab_of(2) as lab:
        run = start_in(lab, folder)
        lab.workers[0].signal(signal.SIGSTOP)
        assert run.wait(LIMIT_S) == 0
    assert records_in(folder / "out") == local_records


STOPS_WITH_ITS_ANSWER = """
import os, signal, sys
if "spawn_main" in " ".join(sys.orig_argv):
    from distributed.worker import Worker
    async def get_data(self, *_, **__):
        os.kill(os.getpid(), signal.SIGSTOP)
    Worker.get_data = get_data
"""


@pytest.mark.slow
def test_a_worker_that_stops_before_it_sends_its_answer_loses_nothing(folder: Path, local_records: list[str]) -> None:
    (folder / "sitecustomize.py").write_text(STOPS_WITH_ITS_ANSWER)
    with lab_of(1) as lab:
        lab.add_worker(variables={"PYTHONPATH": os.pathsep.join([str(folder), *sys.path])})
        run = start_in(lab, folder)
        assert run.wait(LIMIT_S) == 0
    assert records_in(folder / "out") == local_records


@pytest.mark.slow
def test_a_lost_scheduler_leaves_a_log_that_can_be_finished(folder: Path, local_records: list[str]) -> None:
    with lab_of(1) as lab:
        run = start_in(lab, folder)
        lab.scheduler.end()
        assert run.wait(LIMIT_S) == 3
    assert_finished_by_resume(folder, local_records, "the scheduler was lost: the connection broke", NO_ANSWER)


@pytest.mark.slow
def test_a_scheduler_that_freezes_ends_the_run_and_leaves_a_log_that_can_be_finished(
    folder: Path, local_records: list[str]
) -> None:
    with lab_of(1) as lab:
        run = start_in(lab, folder)
        lab.scheduler.signal(signal.SIGSTOP)
        assert run.wait(LIMIT_S) == 3
    assert_finished_by_resume(folder, local_records, NO_ANSWER)


def assert_finished_by_resume(folder: Path, local_records: list[str], *reasons: str) -> None:
    said = (folder / "said").read_text()
    assert "Traceback" not in said
    footer = read_log(folder / "out" / "run.jsonl").footer
    assert footer is not None
    assert footer.reason in reasons
    run_to(folder, "run", *SLOW, "--output", "out", "--resume")
    assert records_in(folder / "out") == local_records


@pytest.mark.slow
def test_a_signal_ends_a_run_whose_scheduler_froze(folder: Path) -> None:
    (folder / "lab.yaml").write_text(yaml.safe_dump({"chunk_checks": 10, "silence_limit_s": 600}))
    with lab_of(1) as lab:
        run = start_in(lab, folder)
        lab.scheduler.signal(signal.SIGSTOP)
        sleep(2)
        run.send_signal(signal.SIGTERM)
        assert run.wait(LIMIT_S) == 3
    footer = read_log(folder / "out" / "run.jsonl").footer
    assert footer is not None
    assert footer.reason == "interrupted by SIGTERM"


@pytest.mark.slow
def test_a_scheduler_that_is_frozen_at_the_start_is_refused_in_one_message(folder: Path) -> None:
    with lab_of(0) as lab:
        lab.scheduler.signal(signal.SIGSTOP)
        done = run_command(folder, "run", *SLOW, "--scheduler", lab.scheduler.address)
    assert done.returncode == 3
    assert done.stderr == (
        f"{lab.scheduler.address}: the scheduler cannot be reached: it gives no answer\n"
        "  fix:  start it, or check the certificates\n"
    )


@pytest.mark.slow
def test_a_frozen_worker_is_dropped_by_the_scheduler(folder: Path, local_records: list[str]) -> None:
    (folder / "lab.yaml").write_text(yaml.safe_dump({"chunk_checks": 10, "silence_limit_s": 3}))
    with lab_of(1, "--lab", str(folder / "lab.yaml")) as lab:
        frozen = lab.add_worker()
        run = start_in(lab, folder)
        frozen.signal(signal.SIGSTOP)
        assert run.wait(LIMIT_S) == 0
    assert records_in(folder / "out") == local_records


@pytest.mark.slow
def test_a_worker_comes_back_when_its_scheduler_is_back(folder: Path) -> None:
    with lab_of(1, "--lab", str(folder / "lab.yaml")) as lab:
        worker, address = lab.workers[0], lab.scheduler.address
        for end in (lab.scheduler.end, lambda: lab.scheduler.signal(signal.SIGTERM)):
            end()
            worker.wait_until_said(f"worker: the scheduler {address} is lost; waiting until it is back")
            lab.restart_scheduler()
            worker.wait_for("worker")
        lab.scheduler.signal(signal.SIGSTOP)
        worker.wait_until_said("is lost")
        lab.scheduler.signal(signal.SIGCONT)
        worker.wait_for("worker")
        run_to(folder, "run", *SLOW, "--output", "out", "--scheduler", address, "--lab", "lab.yaml")


@pytest.mark.slow
def test_a_worker_without_a_scheduler_ends_with_one_message(folder: Path) -> None:
    done = run_python(folder, "-m", "conformance", "lab", "worker", "tcp://127.0.0.1:9")
    assert done.returncode == 3
    assert done.stderr == (
        "tcp://127.0.0.1:9: Timed out trying to connect to tcp://127.0.0.1:9 after 15 s\n"
        "  fix:  start the scheduler first, and check its address\n"
    )


@pytest.mark.slow
def test_without_a_machine_for_it_a_target_is_not_run_with_the_reason(folder: Path) -> None:
    lab_file = folder / "lab.yaml"
    lab_file.write_text(yaml.safe_dump({"needs": {"numpy": {"cuda": 1}}, "machine_limit_s": 1}))
    chosen = ("run", "-q", "--target", "numpy", "--operator", "onnx.Split-11", "--clause", "split.sum")
    with lab_of(1) as lab:
        done = run_command(folder, *chosen, "--scheduler", lab.scheduler.address, "--lab", "lab.yaml")
    assert done.returncode == 3
    log = read_log(folder / "conformance-results" / "run.jsonl")
    assert log.problem("numpy") == "no machine of the lab offers cuda=1 (waited 1 s)"
    assert {record.verdict for record in log.records} == {Verdict.NOT_RUN}


@pytest.mark.slow
def test_a_worker_of_another_version_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import conformance\nconformance.__version__ = '9.9.9'\n")
    variables = {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    (tmp_path / "lab.yaml").write_text("machine_limit_s: 1\n")
    chosen = ("run", "-q", "--target", "numpy", "--operator", "onnx.Split-11", "--clause", "split.sum")
    with lab_of(0) as lab:
        other = lab.add_worker(variables=variables)
        done = run_command(tmp_path, *chosen, "--scheduler", lab.scheduler.address, "--lab", "lab.yaml")
    assert done.returncode == 3
    assert f"{other.address} does not take part in numpy" in done.stderr
    assert "has opconform 9.9.9" in done.stderr


@pytest.mark.slow
def test_a_second_run_does_not_write_to_the_same_log(folder: Path, local_records: list[str]) -> None:
    with lab_of(1) as lab:
        run = start_in(lab, folder)
        second = run_command(folder, "run", *SLOW, "--output", "out", "--scheduler", lab.scheduler.address)
        assert second.returncode == 2, second.stderr
        assert run.wait(LIMIT_S) == 0
    assert records_in(folder / "out") == local_records
