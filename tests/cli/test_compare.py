from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import Conformance, run_to
from gallery import Copied, count_again


def two_runs(folder: Path) -> None:
    for output in ("old", "new"):
        run_to(folder, "run", "-t", "numpy", "--case", "onnx.Split-11/axis*", "--quiet", "--output", output)


@pytest.fixture
def run_twice(copied: Copied) -> None:
    """Two logs of the numpy target, in the folders `old` and `new`."""
    copied("run_twice", two_runs)


def worsen(log: Path) -> None:
    """Turn the first pass of a log into a crash."""
    text = log.read_text()
    log.write_text(text.replace('"verdict":"pass","judged":"pass"', '"verdict":"crashed","judged":"crashed"', 1))
    count_again(log)


@pytest.mark.slow
@pytest.mark.usefixtures("run_twice")
def test_equal_runs_given_as_folders_end_with_0(conformance: Conformance) -> None:
    done = conformance("compare", "old", "new")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "No check regressed. (exit code 0)"


@pytest.mark.usefixtures("run_twice")
def test_a_regression_ends_with_1_and_all_reports_say_so(conformance: Conformance, tmp_path: Path) -> None:
    worsen(tmp_path / "new" / "run.jsonl")
    files = ("--html", "c.html", "--markdown", "c.md", "--json", "c.json")
    done = conformance("compare", "old/run.jsonl", "new/run.jsonl", *files)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.endswith("1 check regressed. (exit code 1)\nreport: c.html\nreport: c.md\nreport: c.json\n")
    assert json.loads((tmp_path / "c.json").read_text())["exit_code"] == 1
    assert "pass → crashed" in (tmp_path / "c.md").read_text()
    assert '<h1 id="headline">1 check regressed.</h1>' in (tmp_path / "c.html").read_text()


@pytest.mark.usefixtures("run_twice")
def test_a_log_that_was_cut_off_ends_with_3(conformance: Conformance, tmp_path: Path) -> None:
    log = tmp_path / "new" / "run.jsonl"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:-1]))
    done = conformance("compare", "old", "new")
    assert done.returncode == 3
    assert "not comparable: new run: the log has no closing line" in done.stdout


@pytest.mark.slow
def test_a_log_that_is_not_there_is_a_usage_error(conformance: Conformance) -> None:
    done = conformance("compare", "old.jsonl", "new.jsonl")
    assert (done.returncode, done.stderr) == (2, "old.jsonl: cannot be read: No such file or directory\n")


@pytest.mark.slow
@pytest.mark.usefixtures("run_twice")
def test_a_report_that_cannot_be_written_is_a_usage_error(conformance: Conformance, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    done = conformance("compare", "old", "new", "--html", "taken/c.html")
    assert (done.returncode, done.stderr) == (
        2,
        "taken/c.html: cannot be written: File exists\n  fix:  name a file in a folder that can be written to\n",
    )


@pytest.mark.usefixtures("run_twice")
@pytest.mark.parametrize("arguments", [("report", "old/run.jsonl"), ("compare", "old", "new")])
def test_a_reader_who_leaves_early_changes_no_exit_code(arguments: tuple[str, ...], tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-P", "-m", "conformance", *arguments]
    done = subprocess.run(command, cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, check=False, timeout=120)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
