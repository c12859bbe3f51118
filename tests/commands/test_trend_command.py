from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import run_to
from gallery import count_again

Conformance = Callable[..., subprocess.CompletedProcess[str]]
Copied = Callable[[str, Callable[[Path], object]], None]


def three_runs(folder: Path) -> None:
    """A folder of runs at different depths, the second of which crashes."""
    run_to(folder, "run", "-t", "numpy", "--case", "onnx.Split-11/axis*", "--quiet", "--output", "runs/first")
    for number, name in enumerate(("nightly/2", "nightly/3"), 2):
        shutil.copytree(folder / "runs/first", folder / "runs" / name)
        log = folder / "runs" / name / "run.jsonl"
        header, rest = log.read_text().split("\n", 1)
        started = json.loads(header)["started"]
        log.write_text(f"{header.replace(started, f'209{number}-01-01T00:00:00+00:00')}\n{rest}")
    log = folder / "runs/nightly/2/run.jsonl"
    log.write_text(
        log.read_text().replace('"verdict":"pass","judged":"pass"', '"verdict":"crashed","judged":"crashed"', 1)
    )
    count_again(log)


@pytest.fixture
def runs(copied: Copied) -> None:
    """Three runs of the numpy target in the folder `runs`."""
    copied("three_runs", three_runs)


@pytest.mark.usefixtures("runs")
def test_a_folder_of_runs_is_read_in_the_order_of_their_starts(conformance: Conformance, tmp_path: Path) -> None:
    done = conformance("trend", "runs", "--json", "t.json", "--html", "t.html", "--markdown", "t.md")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("3 runs of 1 target: no regressions.\nreport: t.html\nreport: t.md\nreport: t.json\n")
    found = json.loads((tmp_path / "t.json").read_text())["trend"]
    assert [run["log"] for run in found["runs"]] == [
        "runs/first/run.jsonl",
        "runs/nightly/2/run.jsonl",
        "runs/nightly/3/run.jsonl",
    ]
    points = found["targets"][0]["points"]
    assert [[shift["movement"] for shift in point["causes"]] for point in points] == [[], ["began"], ["ended"]]


@pytest.mark.usefixtures("runs")
def test_the_page_links_to_the_reports_beside_the_logs(conformance: Conformance, tmp_path: Path) -> None:
    assert conformance("trend", "runs", "--html", "pages/t.html").returncode == 0
    page = (tmp_path / "pages/t.html").read_text()
    assert 'href="../runs/nightly/2/report.html#cause-' in page
    assert (tmp_path / "runs/nightly/2/report.html").is_file()


@pytest.mark.usefixtures("runs")
def test_single_runs_can_be_named_each_counts_once(conformance: Conformance) -> None:
    done = conformance("trend", "runs/nightly/3", "runs/first/run.jsonl", "runs/nightly")
    assert done.stdout.endswith("3 runs of 1 target: no regressions.\n"), done.stdout + done.stderr


@pytest.mark.usefixtures("runs")
def test_a_file_that_is_no_log_is_named_and_left_out(conformance: Conformance, tmp_path: Path) -> None:
    (tmp_path / "runs" / "notes.jsonl").write_text("{}\n")
    done = conformance("trend", "runs")
    assert done.returncode == 0
    assert "not read: runs/notes.jsonl: is not a line of a run log" in done.stdout


@pytest.mark.usefixtures("runs")
def test_a_log_that_was_cut_off_is_said_and_counted(conformance: Conformance, tmp_path: Path) -> None:
    log = tmp_path / "runs/nightly/3/run.jsonl"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:-2]))
    done = conformance("trend", "runs", "--markdown", "t.md")
    assert done.returncode == 0
    assert "the newest run is incomplete" in done.stdout
    assert "the log has no closing line: it was cut off" in (tmp_path / "t.md").read_text()


@pytest.mark.usefixtures("runs")
def test_a_single_log_is_a_usage_error(conformance: Conformance) -> None:
    done = conformance("trend", "runs/first")
    assert done.returncode == 2
    assert done.stderr == (
        "runs/first: a trend needs two logs that can be read, and there is 1\n"
        "  fix:  name a folder with the folders of several runs\n"
    )


def test_a_folder_that_is_not_there_is_a_usage_error(conformance: Conformance) -> None:
    done = conformance("trend", "nowhere")
    assert done.returncode == 2
    assert "nowhere: cannot be read: No such file or directory" in done.stderr


@pytest.mark.usefixtures("runs")
def test_no_log_is_overwritten(conformance: Conformance) -> None:
    done = conformance("trend", "runs", "--json", "runs/first/run.jsonl")
    assert done.returncode == 2
    assert "is read by this command, and would be overwritten" in done.stderr
