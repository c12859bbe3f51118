from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import Conformance

pytestmark = pytest.mark.slow

RUN = ("run", "--target", "numpy", "--operator", "onnx.Transpose", "--quiet", "--jobs", "1")


def checks_in(log: Path) -> list[tuple[str, str]]:
    lines = map(json.loads, log.read_text().splitlines())
    return [(line["case"], line["form"]) for line in lines if line["type"] == "check"]


def test_runs_of_different_samples_are_compared_where_both_asked(conformance: Conformance) -> None:
    conformance(*RUN, "--checks", "30", "--output", "few")
    conformance(*RUN, "--checks", "50", "--output", "more")
    done = conformance("compare", "few", "more")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "selected sample" in done.stdout
    assert "30 unchanged" in done.stdout
    assert "20 asked differently" in done.stdout


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
