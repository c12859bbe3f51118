"""Time limits on a machine that pauses or is busy, with real processes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import pytest
from gallery import LIARS, Log, read_log, write_liar

from conformance.run.process import use_of
from conformance.spec.verdict import Verdict

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at the CPU time that Linux tells"),
]
LIMIT_S = 2.0


@contextmanager
def running(room: Path, liar: str) -> Iterator[subprocess.Popen[bytes]]:
    """`conformance run` of the three cases around the bait, with a limit of two seconds."""
    shutil.copytree(LIARS / "cases", room / "cases")
    cases = [part for name in ("first", "bait", "last") for part in ("--case", f"*/{name}")]
    where = ["--target", str(write_liar(room, liar)), "--output", str(room / "out")]
    options = ["--quiet", "--form", "constant", "--timeout", str(LIMIT_S), "--cases-folder", str(room / "cases")]
    command = [sys.executable, "-m", "conformance", "run", *where, *options, *cases]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGCONT)
            process.send_signal(signal.SIGTERM)


def log_of(room: Path) -> Log:
    return read_log(room / "out" / "run.jsonl")


def worker_that_began(room: Path, liar: str) -> int:
    """The process that is asked the bait."""
    end = monotonic() + 60
    while monotonic() < end:
        for path in (room / liar).glob("pid-*"):
            return int(path.name.partition("-")[2])
        sleep(0.01)
    pytest.fail("the bait was not asked")


@contextmanager
def busy_machine() -> Iterator[None]:
    """Four processes for each core that burn its time."""
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4 * (os.cpu_count() or 1))]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def test_a_worker_that_gets_little_of_a_busy_machine_accuses_no_target(tmp_path: Path) -> None:
    with running(tmp_path, "works_for_a_second") as engine:
        worker_that_began(tmp_path, "works_for_a_second")
        began = monotonic()
        with busy_machine():
            assert engine.wait(120) == 0
    assert monotonic() - began > LIMIT_S
    assert [record.verdict for record in log_of(tmp_path).records] == [Verdict.PASS] * 3


def test_what_burns_cpu_time_for_ever_times_out(tmp_path: Path) -> None:
    with running(tmp_path, "spins") as engine:
        assert engine.wait(120) == 1
    assert [record.verdict for record in log_of(tmp_path).records] == [Verdict.PASS, Verdict.TIMED_OUT, Verdict.PASS]


def test_the_cpu_time_of_a_child_counts_for_its_parent() -> None:
    spin = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'while True: pass'])"
    with subprocess.Popen([sys.executable, "-c", spin], start_new_session=True) as parent:
        end = monotonic() + 60
        while (use := use_of(parent.pid)) is not None and use.cpu_s < 1 and monotonic() < end:
            sleep(0.05)
        os.killpg(parent.pid, signal.SIGKILL)
    assert use is not None
    assert use.cpu_s >= 1
    assert use.is_runnable


def test_a_process_that_is_gone_has_no_cpu_time() -> None:
    with subprocess.Popen([sys.executable, "-c", "pass"]) as ended:
        ended.wait()
    assert use_of(ended.pid) is None
