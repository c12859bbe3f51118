from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Conformance = Callable[..., subprocess.CompletedProcess[str]]
RUN = ("run", "--target", "numpy", "--operator", "onnx.Transpose", "--quiet", "--jobs", "1")


def checks_in(log: Path) -> list[tuple[str, str]]:
    lines = map(json.loads, log.read_text().splitlines())
    return [(line["case"], line["form"]) for line in lines if line["type"] == "check"]


def test_a_budget_becomes_a_number_of_checks_that_repeats_the_run(conformance: Conformance, tmp_path: Path) -> None:
    done = conformance(*RUN, "--budget", "6s", "--output", "timed")
    assert done.returncode == 0, done.stdout + done.stderr
    header = json.loads((tmp_path / "timed" / "run.jsonl").read_text().split("\n", 1)[0])
    number = str(header["selection"]["sample"])
    assert header["planned"] == int(number) == 285
    last = done.stdout.splitlines()[-1]
    assert last == f"--checks {number} runs the same checks again; without it, all that are selected run"
    assert header["selection"]["budget_s"] == 6
    refused = conformance("report", "timed", "--baseline", "timed")
    assert refused.returncode == 2
    assert f"name the log of a run with `--checks {number}`" in refused.stderr
    conformance(*RUN, "--checks", number, "--output", "counted")
    assert checks_in(tmp_path / "counted" / "run.jsonl") == checks_in(tmp_path / "timed" / "run.jsonl")


def test_runs_of_different_samples_are_compared_where_both_asked(conformance: Conformance) -> None:
    conformance(*RUN, "--checks", "30", "--output", "few")
    conformance(*RUN, "--checks", "50", "--output", "more")
    done = conformance("compare", "few", "more")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "selected sample" in done.stdout
    assert "30 unchanged" in done.stdout
    assert "20 asked differently" in done.stdout


@pytest.mark.parametrize("option", [["--checks", "9"], ["--shard", "1/2"], ["--resume"], ["--profile", "core"]])
def test_a_budget_stands_alone(conformance: Conformance, tmp_path: Path, option: list[str]) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "run.jsonl").write_text("")
    done = conformance(*RUN, "--budget", "6s", *option, "--output", "out")
    assert done.returncode == 2
    assert f"--budget: cannot be combined with {option[0]}" in done.stderr
    assert "fix:  write `--checks N`" in done.stderr


def test_no_check_is_spent_on_an_operator_that_no_target_declares(conformance: Conformance, tmp_path: Path) -> None:
    done = conformance("run", "--target", "onnxruntime", "--checks", "44", "--quiet", "--output", "out")
    assert done.returncode == 0, done.stdout + done.stderr
    header = json.loads((tmp_path / "out" / "run.jsonl").read_text().split("\n", 1)[0])
    named = header["selection"]["operators"]
    through_others = {operator for operator in named if not operator.startswith("onnx.")}
    assert through_others == {"openvino.Split-1", "openvino.VariadicSplit-1"}
    of_checks = [case for case, _ in checks_in(tmp_path / "out" / "run.jsonl")]
    assert len(of_checks) == 44
    assert {case.partition("/")[0] for case in of_checks} <= set(named)
