"""Closed and full streams, full disks, and pipes as case files give one sentence and the right exit code."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from gallery import LIARS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes, devices and limits of Unix")

COMMAND = [sys.executable, "-m", "conformance"]
FIRST = ["--cases-folder", str(LIARS / "cases"), "--case", "*/first"]
RUN = [*COMMAND, "run", "-t", "numpy", *FIRST, "--output", "out"]


def in_shell(command: list[str], redirection: str, folder: Path) -> subprocess.CompletedProcess[str]:
    script = f'"$@" {redirection}'
    return subprocess.run(
        ["bash", "-c", script, "bash", *command], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.parametrize(
    "redirection", [">&-", "2>&-", "<&- >&- 2>&-", "2>/dev/full", "2>&1 | head -c 0; exit ${PIPESTATUS[0]}"]
)
def test_a_run_whose_words_are_lost_ends_as_it_would(redirection: str, tmp_path: Path) -> None:
    done = in_shell(RUN, redirection, tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    *_, footer = (tmp_path / "out" / "run.jsonl").read_text().splitlines()
    assert json.loads(footer)["complete"]
    assert (tmp_path / "out" / "report.html").is_file()


def test_a_report_that_does_not_fit_on_the_disk_is_said_to_be_lost(tmp_path: Path) -> None:
    done = in_shell(RUN, ">/dev/full", tmp_path)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (3, "standard output: No space left on device")


def test_a_list_whose_reader_closes_the_pipe_ends_with_0(tmp_path: Path) -> None:
    done = in_shell([*COMMAND, "list", "--set", "full"], "| head -1; exit ${PIPESTATUS[0]}", tmp_path)
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)


def test_a_run_on_a_full_disk_names_its_log_and_can_be_resumed(tmp_path: Path) -> None:
    run = [*COMMAND, "run", "--quiet", "-t", "numpy", "--cases-folder", str(LIARS / "cases"), "--output", "out"]

    def limit_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

    full = subprocess.run(
        run, cwd=tmp_path, capture_output=True, text=True, check=False, preexec_fn=limit_files, timeout=120
    )
    assert (full.returncode, full.stderr) == (
        2,
        "out/run.jsonl: cannot be written: File too large\n  fix:  make room; `run --resume` goes on from here\n",
    )
    assert (tmp_path / "out" / "run.jsonl").stat().st_size == 10_000
    resumed = subprocess.run([*run, "--resume"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    header, *records, footer = map(json.loads, (tmp_path / "out" / "run.jsonl").read_text().splitlines())
    assert resumed.returncode == 0
    assert (len(records), footer["records"]) == (header["planned"], header["planned"])


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_case_file_that_is_none_is_not_waited_for(kind: str, tmp_path: Path) -> None:
    cases = shutil.copytree(LIARS / "cases", tmp_path / "cases")
    odd = cases / "openvino" / "VariadicSplit" / "odd.yaml"
    os.mkfifo(odd) if kind == "pipe" else odd.symlink_to("/dev/zero")
    done = in_shell([*COMMAND, "list", "--cases-folder", "cases"], "", tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "cases/openvino/VariadicSplit/odd.yaml: is no regular file\n1 problem(s) in cases\n",
    )


def test_a_command_with_a_nul_is_one_that_cannot_be_started(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "adapter.yaml").write_text('name: mine\nsummary: s\ncommand: ["a\\0b"]\n')
    done = in_shell([*RUN, "--quiet", "-t", "./mine"], "", tmp_path)
    assert done.returncode == 3
    assert "adapter: the command 'a\\x00b' cannot be started: embedded null byte\n  fix:  " in done.stderr
