from __future__ import annotations

from pathlib import Path

import pytest
from bundled import cases_of_operators

from conformance.commands.main import main
from conformance.planning.coverage_measure import classes_by_operator, measure
from conformance.planning.selection import Selection

ONE_CASE = """operator: onnx.Split
cases:
  - {id: whole, clauses: [outputs.order], arguments: {input: {dtype: int8, shape: [2]}, num_outputs: 1},
     outputs: ["0:2"]}
"""


def test_bundled_cases_cover_each_clause() -> None:
    (found,) = measure(cases_of_operators("openvino.Split"), Selection())
    assert found.is_complete
    assert found.checks > len(found.clauses)


def test_command_fails_where_a_clause_has_no_case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "cases" / "onnx" / "Split"
    folder.mkdir(parents=True)
    (folder / "one.yaml").write_text(ONE_CASE)
    assert main(["coverage", "--ids", "--operator", "onnx.Split-18", "--cases-folder", str(tmp_path / "cases")]) == 1
    shown = [line.strip() for line in capsys.readouterr().out.splitlines()]
    at = shown.index("outputs.order: 1 case")
    assert shown[at + 1].endswith("onnx.Split-18/whole")
    assert "outputs.type: 0 cases" in shown


def test_classes_are_counted_over_the_cases_that_expect_outputs() -> None:
    suite = cases_of_operators("openvino.Gather")
    counts = classes_by_operator(suite, Selection(operators=("openvino.Gather-8",)))
    assert list(counts) == ["openvino.Gather-8"]
    assert counts["openvino.Gather-8"]["indices", "uint64"] > 0
    assert counts["openvino.Gather-8"]["indices", "left out"] == 0


def test_command_names_operators_without_a_class(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "--classes", "--operator", "onnx.Transpose-25", "--operator", "onnx.Concat-13"]) == 0
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["equal", "dims", "2/2"] in [line[:3] for line in shown]
    assert ["scalar", "1/2"] in [line[:2] for line in shown if line[-1:] == ["onnx.Concat-13"]]
