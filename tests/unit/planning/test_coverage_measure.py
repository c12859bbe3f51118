from __future__ import annotations

import pytest

from conformance.commands.main import main
from conformance.formats.suite import bundled_folder, load_suite
from conformance.planning.coverage_measure import measure
from conformance.planning.selection import Selection


def test_bundled_cases_cover_each_clause_and_each_combination_of_two_parameters() -> None:
    (found,) = measure(load_suite(bundled_folder("cases"), {"openvino.Split"}), Selection(), 2)
    assert found.is_complete
    assert found.combinations


def test_command_lists_combinations_without_a_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "--operator", "openvino.Split", "--strength", "3"]) == 1
    assert "no check has dtype=" in capsys.readouterr().out
