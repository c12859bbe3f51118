"""Reports are written beside their place, and never over what they are made from."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from command import Conformance, run_python, run_to
from gallery import LIARS, Copied

KINDS = ("html", "junit", "markdown", "json")


def one_run(folder: Path) -> None:
    cases = ("--cases-folder", str(LIARS / "cases"), "--case", "*/first")
    run_to(folder, "run", "--quiet", "--output", "out", *cases, "-t", "numpy")


@pytest.fixture
def log(copied: Copied, tmp_path: Path) -> Path:
    copied("one_run", one_run)
    return tmp_path / "out" / "run.jsonl"


@pytest.mark.slow
def test_a_terminal_shows_which_report_is_being_written(log: Path) -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-P", "-m", "conformance", "report", "out/run.jsonl", "--html", "page.html"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    subprocess.run(command, cwd=log.parents[1], env=environment, stdout=subprocess.DEVNULL, stderr=theirs, check=True)
    os.close(theirs)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert shown.index("Reading out/run.jsonl") < shown.index("Writing page.html")


@pytest.mark.slow
def test_what_is_no_terminal_gets_no_progress(log: Path, conformance: Conformance) -> None:
    assert conformance("report", str(log), "--html", "page.html").stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_report_over_its_log_is_refused(kind: str, log: Path, conformance: Conformance) -> None:
    before = log.read_bytes()
    done = conformance("report", "out/run.jsonl", f"--{kind}", "out/../out/run.jsonl")
    assert (done.returncode, done.stderr) == (
        2,
        "out/../out/run.jsonl: is read by this command, and would be overwritten\n  fix:  name another file\n",
    )
    assert log.read_bytes() == before


@pytest.mark.slow
def test_a_report_over_its_baseline_or_another_report_is_refused(log: Path, conformance: Conformance) -> None:
    over_baseline = conformance("report", "out/run.jsonl", "--baseline", "out", "--html", "out/run.jsonl")
    twice = conformance("report", "out/run.jsonl", "--html", "page", "--junit", "page")
    assert (over_baseline.returncode, twice.returncode) == (2, 2)
    assert "page: is named for two reports" in twice.stderr
    assert not (log.parent.parent / "page").exists()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["html", "markdown", "json"])
def test_a_comparison_over_one_of_its_logs_is_refused(kind: str, log: Path, conformance: Conformance) -> None:
    before = log.read_bytes()
    log.with_name("link").symlink_to(log)
    done = conformance("compare", "out", "out", f"--{kind}", "out/link")
    assert (done.returncode, log.read_bytes()) == (2, before)


def test_a_merged_log_over_a_shard_is_refused(conformance: Conformance, tmp_path: Path) -> None:
    cases = ("--cases-folder", str(LIARS / "cases"), "--case", "*/first", "--case", "*/bait", "-t", "numpy")
    for number in (1, 2):
        conformance("run", "--quiet", "--output", f"s{number}", *cases, "--shard", f"{number}/2")
    before = (tmp_path / "s1" / "run.jsonl").read_bytes()
    done = conformance("merge", "s1", "s2", "--output", "s1")
    assert (done.returncode, (tmp_path / "s1" / "run.jsonl").read_bytes()) == (2, before)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_what_stood_there_is_whole_where_a_report_cannot_be_written(kind: str, log: Path, tmp_path: Path) -> None:
    (tmp_path / "page").write_text("an earlier report")
    command = [sys.executable, "-P", "-m", "conformance", "report", str(log), f"--{kind}", "page"]
    limit = log.stat().st_size // 40  # as a full disk: fewer bytes than any report has
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # what Python compiles must not be cut off
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "page: cannot be written: File too large")
    assert (tmp_path / "page").read_text() == "an earlier report"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "page"]


@pytest.mark.slow
def test_a_device_is_written_to(log: Path) -> None:
    done = run_python(log.parent, "-m", "conformance", "report", str(log), "--markdown", "/dev/stdout")
    assert done.returncode == 0
    assert done.stdout.startswith("#")
    assert Path("/dev/stdout").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("log")
def test_the_folder_of_a_run_stands_for_its_log(conformance: Conformance) -> None:
    by_folder, by_log = conformance("report", "out"), conformance("report", "out/run.jsonl")
    assert (by_folder.returncode, by_folder.stdout) == (0, by_log.stdout)
