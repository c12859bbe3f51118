"""`conformance run --timing`: times in the log and in the reports, and the same verdicts as without."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import Conformance

SMALL = "onnx.Split-18/time-by-size[size=256B,axis=0]"
TIMED = ("run", "--set", "timing", "--timing", "quick", "--case", SMALL, "--output", "out")


def lines(log: Path, kind: str) -> list[dict[str, Any]]:
    return [line for line in map(json.loads, log.read_text().splitlines()) if line["type"] == kind]


@pytest.mark.slow
def test_times_stand_behind_the_checks_and_before_the_footer(conformance: Conformance, tmp_path: Path) -> None:
    done = conformance(*TIMED, "-t", "numpy")
    assert done.returncode == 0, done.stdout + done.stderr
    kinds = [json.loads(line)["type"] for line in (tmp_path / "out" / "run.jsonl").read_text().splitlines()]
    assert kinds == ["header", "check", "timing", "footer"]


@pytest.mark.slow
@pytest.mark.frameworks
def test_two_frameworks_are_timed_next_to_a_plain_copy(conformance: Conformance, tmp_path: Path) -> None:
    done = conformance(*TIMED, "-t", "numpy", "-t", "onnxruntime")
    assert done.returncode == 0, done.stdout + done.stderr
    records = lines(tmp_path / "out" / "run.jsonl", "timing")
    assert [record["target"].partition("@")[0] for record in records] == ["numpy", "onnxruntime"]
    for record in records:
        assert (record["nbytes"], record["parts"], record["is_framework_alone"]) == (256, 4, True)
        assert record["run"]["low_ns"] <= record["run"]["median_ns"] <= record["run"]["high_ns"]
        assert record["copy"]["median_ns"] > 0
    assert "/ fastest" in done.stdout


@pytest.mark.slow
def test_the_reports_show_times(conformance: Conformance, tmp_path: Path) -> None:
    conformance(*TIMED, "-t", "numpy")
    done = conformance("report", "out/run.jsonl", "--markdown", "r.md", "--junit", "j.xml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"| `{SMALL}`" in (tmp_path / "r.md").read_text()
    page = (tmp_path / "out" / "report.html").read_text()
    assert 'id="timing"' in page


def test_what_is_not_among_the_timed_cases_is_refused(conformance: Conformance) -> None:
    done = conformance("run", "-t", "numpy", "--timing", "quick", "--case", "onnx.Split-18/axis-above-range*")
    assert done.returncode == 2
    assert done.stderr == (
        "--timing: none of the selected cases is in the set `timing`, and only those are timed\n"
        "  fix:  `conformance list --set timing` shows those that are\n"
    )


@pytest.mark.slow
def test_shards_take_no_times(conformance: Conformance) -> None:
    done = conformance("run", "-t", "numpy", "--timing", "quick", "--shard", "1/2")
    assert (done.returncode, done.stderr) == (
        2,
        "--timing: shards run on different machines, whose times cannot be compared\n  fix:  leave --shard out\n",
    )


@pytest.mark.slow
def test_a_resumed_run_takes_the_times_that_are_missing(conformance: Conformance, tmp_path: Path) -> None:
    conformance(*TIMED, "-t", "numpy", "--case", SMALL.replace("axis=0", "axis=1"))
    log = tmp_path / "out" / "run.jsonl"
    whole = log.read_text().splitlines(keepends=True)
    log.write_text("".join(whole[:-2]))
    done = conformance(*TIMED, "-t", "numpy", "--case", SMALL.replace("axis=0", "axis=1"), "--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    cases = [record["case"] for record in lines(log, "timing")]
    assert cases == [SMALL, SMALL.replace("axis=0", "axis=1")]
    assert log.read_text().startswith("".join(whole[:-2]))


@pytest.mark.slow
def test_another_effort_cannot_be_resumed_with(conformance: Conformance, tmp_path: Path) -> None:
    conformance(*TIMED, "-t", "numpy")
    log = tmp_path / "out" / "run.jsonl"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:-2]))
    done = conformance(*TIMED, "-t", "numpy", "--resume", "--timing", "precise")
    assert done.returncode == 2
    assert "another --timing" in done.stderr


def test_compared_runs_name_timed_cases(conformance: Conformance) -> None:
    conformance(*TIMED, "-t", "numpy")
    done = conformance("compare", "out", "out")
    assert done.returncode == 0, done.stdout
    assert "Steady times of 1 timed case: 1 too noisy to say." in done.stdout
