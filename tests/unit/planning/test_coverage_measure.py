from __future__ import annotations

import pytest
from bundled import cases_of_operators

from conformance.commands.main import main
from conformance.planning.coverage_measure import classes_by_operator, measure
from conformance.planning.selection import Selection


def test_bundled_cases_cover_each_clause_and_each_combination_of_two_parameters() -> None:
    (found,) = measure(cases_of_operators("openvino.Split"), Selection(), 2)
    assert found.is_complete
    assert found.combinations


def test_command_lists_combinations_without_a_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "--operator", "openvino.Split", "--strength", "3"]) == 1
    assert "no check has dtype=" in capsys.readouterr().out


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
