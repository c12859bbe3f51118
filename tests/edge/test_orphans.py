"""Nothing that a run started outlives it, however the run ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from gallery import LIARS, write_liar

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").is_file(), reason="needs /proc")
MARK = "OPCONFORM_TEST_OF_ORPHANS"


def marked(name: str) -> list[int]:
    """The processes that were started with a mark in their environment, or by such."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={name}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def comes_true(condition: Callable[[], bool], seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_and_what_they_started_end_with_the_engine(end: signal.Signals, tmp_path: Path) -> None:
    folder = write_liar(tmp_path, "forks_and_spins")
    command = [sys.executable, "-P", "-m", "conformance", "run", "--quiet", "-t", str(folder), "--case", "*/bait"]
    name = f"{os.getpid()}-{tmp_path.name}"
    engine = subprocess.Popen(
        [*command, "--cases-folder", str(LIARS / "cases")],
        cwd=tmp_path,
        env={**os.environ, MARK: name},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert comes_true(lambda: len(list(folder.glob("busy-*"))) == 2)
    assert {int(path.name.removeprefix("busy-")) for path in folder.glob("busy-*")} < set(marked(name))
    engine.send_signal(end)
    engine.wait(60)
    assert comes_true(lambda: not marked(name)), marked(name)
