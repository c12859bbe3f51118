"""Temporary folders: none stays beyond the next run, and none is removed while an engine uses it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("has no locks of folders", allow_module_level=True)

HOLDS_ONE = "from conformance.run.process import Scratch; held = Scratch(); print(held.name, flush=True); input()"
NEEDS_ONE = "from conformance.run.process import Scratch; Scratch().cleanup()"
ENGINE_AND_WORKER = """
import os, sys
from conformance.run.ending import guardian
from conformance.run.process import WorkerProcess
worker = WorkerProcess([sys.executable, "-c", "input()"])
print(os.getpid(), worker._process.pid, guardian()._process.pid, flush=True)
input()
"""


def started(code: str, folder: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "TMPDIR": str(folder)}
    return subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_folders_whose_engine_guardian_and_workers_were_killed_go_with_the_next_engine(tmp_path: Path) -> None:
    with started(ENGINE_AND_WORKER, tmp_path) as engine:
        for number in said(engine).split()[::-1]:
            os.kill(int(number), signal.SIGKILL)
    assert len(list(tmp_path.iterdir())) == 1
    started(NEEDS_ONE, tmp_path).communicate()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_folders_that_an_engine_uses_stay(tmp_path: Path) -> None:
    with started(HOLDS_ONE, tmp_path) as engine:
        held = Path(said(engine))
        started(NEEDS_ONE, tmp_path).communicate()
        assert list(tmp_path.iterdir()) == [held]
        engine.communicate("\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_what_is_no_folder_of_ours_stays(tmp_path: Path) -> None:
    target = tmp_path / "other"
    target.mkdir()
    (tmp_path / "opconform-link").symlink_to(target)
    (tmp_path / "opconform-file").touch()
    started(NEEDS_ONE, tmp_path).communicate()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["opconform-file", "opconform-link", "other"]
