from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import Conformance

RUN = ("run", "--target", "numpy", "--operator", "onnx.Split-11", "--clause", "axis.range", "--quiet")
TIMES = {"started", "ended", "prepare_ns", "run_ns", "cpu_ns", "peak_bytes"}


def without_times(log: Path) -> list[dict[str, Any]]:
    """All lines of a log but for what two runs of the same never have in common."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return [{name: value for name, value in line.items() if name not in TIMES} for line in lines]


def in_shards(conformance: Conformance, of: int, *more: str) -> Path:
    """The folder of a run that was made in so many shards and merged."""
    for number in range(1, of + 1):
        done = conformance(*RUN, "--shard", f"{number}/{of}", "--output", f"{number}-of-{of}", *more)
        assert done.returncode == 0, done.stdout + done.stderr
    done = conformance("merge", *(f"{number}-of-{of}" for number in range(of, 0, -1)), "--output", f"of-{of}")
    assert done.returncode == 0, done.stdout + done.stderr
    return Path(f"of-{of}")


@pytest.mark.slow
def test_one_and_four_shards_merge_to_the_same_log_but_for_times(conformance: Conformance, tmp_path: Path) -> None:
    conformance(*RUN, "--output", "whole")
    first = without_times(tmp_path / "whole" / "run.jsonl")
    for of in (1, 4):
        folder = in_shards(conformance, of)
        assert without_times(tmp_path / folder / "run.jsonl") == first
        assert (tmp_path / folder / "report.html").is_file()


@pytest.mark.slow
def test_the_reports_of_a_shard_say_that_it_is_a_part(conformance: Conformance, tmp_path: Path) -> None:
    done = conformance(*RUN, "--shard", "2/5", "--output", "out")
    conformance("report", "out/run.jsonl", "--markdown", "summary.md")
    sentence = "Partial run: only onnx.Split-11; clauses axis.range; shard 2 of 5 were selected."
    assert sentence in " ".join(done.stdout.split())
    assert "shard 2 of 5" in (tmp_path / "summary.md").read_text()
    assert "shard 2 of 5" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.slow
def test_a_shard_that_was_interrupted_is_finished_with_resume(conformance: Conformance, tmp_path: Path) -> None:
    conformance(*RUN, "--shard", "1/2", "--output", "out")
    log = tmp_path / "out" / "run.jsonl"
    whole = without_times(log)
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:20]))
    done = conformance(*RUN, "--shard", "1/2", "--output", "out", "--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert without_times(log) == whole


@pytest.mark.slow
def test_another_shard_does_not_finish_a_log(conformance: Conformance) -> None:
    conformance(*RUN, "--shard", "1/2", "--output", "out")
    done = conformance(*RUN, "--shard", "2/2", "--output", "out", "--resume")
    assert done.returncode == 2
    assert "was made with another selection" in done.stderr


@pytest.mark.slow
def test_a_merge_to_a_file_writes_the_log_alone(conformance: Conformance, tmp_path: Path) -> None:
    conformance(*RUN, "--shard", "1/1", "--output", "out")
    done = conformance("merge", "out/run.jsonl", "--output", "merged/all.jsonl")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [path.name for path in (tmp_path / "merged").iterdir()] == ["all.jsonl"]


@pytest.mark.parametrize("shard", ["0/2", "3/2", "2", "a/b", "1/"])
def test_what_is_no_shard_is_a_usage_error(shard: str, conformance: Conformance) -> None:
    done = conformance(*RUN, "--shard", shard)
    assert done.returncode == 2
    assert f"argument --shard: {shard!r} is not a shard such as 2/8" in done.stderr


def test_a_shard_is_not_timed(conformance: Conformance) -> None:
    done = conformance(*RUN, "--shard", "1/2", "--timing", "quick")
    assert done.returncode == 2
    assert "--timing: shards run on different machines, whose times cannot be compared" in done.stderr
