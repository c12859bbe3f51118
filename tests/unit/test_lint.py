from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conformance.formats.suite import Suite, bundled_folder, load_suite
from conformance.selection.lint import check_deviations, check_suite, untested_clauses

HOSTILE = Path(__file__).parent / "hostile"
CASES = """operator: onnx.Split
cases:
  - id: lengths
    clauses: [split.lengths, axis.range]
    arguments: {input: {dtype: $dtype, shape: [6]}, split: [2, 4]}
    matrix: {dtype: all}
    outputs: ["0:2", "2:6"]
"""
DEVIATION = """deviations:
  - id: drops-it
    kind: plainly wrong
    operators: ["*"]
    cases: {cases}
    where: {{versions: ">=1"}}
    verdict: wrong result
    values: [outputs reversed]
    what: the last part is dropped
    why: it was never written
    since: "2026-11-21"
    review: "2027-02-01"
    reproducer: drops.py
"""


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    folder = tmp_path / "cases" / "onnx" / "Split"
    folder.mkdir(parents=True)
    shutil.copy(HOSTILE / "operator.yaml", folder)
    (folder / "lengths.yaml").write_text(CASES)
    return load_suite(tmp_path / "cases")


@pytest.fixture(scope="module")
def bundled() -> Suite:
    return load_suite(bundled_folder("cases"))


def adapter_with(deviations: str, folder: Path) -> Path:
    folder.mkdir()
    (folder / "deviations.yaml").write_text(deviations)
    (folder / "drops.py").write_text("")
    return folder


def test_every_clause_of_the_bundled_operators_has_a_case(bundled: Suite) -> None:
    assert [str(problem) for problem in untested_clauses(bundled)] == []


def test_products_are_counted(suite: Suite) -> None:
    tally, problems = check_suite(suite)
    assert problems == []
    assert (tally.files, tally.families, tally.cases, tally.clauses, tally.compared) == (1, 3, 15, 9, 15)


def test_clause_without_a_case_is_reported_for_each_version(suite: Suite) -> None:
    assert [str(problem) for problem in untested_clauses(suite)] == [
        (
            "cases/onnx/Split/operator.yaml: clauses.split.sum: no case of onnx.Split-13 tests it\n"
            "  fix:  add one, or narrow its `versions`"
        ),
        (
            "cases/onnx/Split/operator.yaml: clauses.split.sum: no case of onnx.Split-18 tests it\n"
            "  fix:  add one, or narrow its `versions`"
        ),
        (
            "cases/onnx/Split/operator.yaml: clauses.num_outputs.uneven: no case of onnx.Split-18 tests it\n"
            "  fix:  add one, or narrow its `versions`"
        ),
    ]


@pytest.mark.parametrize("pattern", ["onnx.Split-13/lengths[dtype=int8]", "onnx.*", "*[dtype=string]"])
def test_deviation_that_speaks_of_a_case_has_no_problem(pattern: str, suite: Suite, tmp_path: Path) -> None:
    folder = adapter_with(DEVIATION.format(cases=f"['{pattern}']"), tmp_path / "toy")
    assert check_deviations(suite, [folder]) == []


@pytest.mark.parametrize("pattern", ["onnx.Split-13/lengths", "onnx.Split-13/lengths[dtype=int4]", "openvino.*"])
def test_deviation_that_matches_no_case_is_reported(pattern: str, suite: Suite, tmp_path: Path) -> None:
    folder = adapter_with(DEVIATION.format(cases=f"['{pattern}']"), tmp_path / "toy")
    assert [str(problem) for problem in check_deviations(suite, [folder])] == [
        f"toy/deviations.yaml: drops-it: no case has an id like '{pattern}'\n  fix:  correct or remove the pattern"
    ]


def test_operator_that_the_reference_does_not_have_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / "cases" / "onnx" / "Cut"
    folder.mkdir(parents=True)
    operator = (HOSTILE / "operator.yaml").read_text().replace("onnx.Split", "onnx.Cut").replace("[11, 13, 18]", "[13]")
    (folder / "operator.yaml").write_text(operator)
    (folder / "lengths.yaml").write_text(CASES.replace("onnx.Split", "onnx.Cut").replace("all", "[int8]"))
    _, problems = check_suite(load_suite(tmp_path / "cases"))
    assert [str(problem) for problem in problems] == [
        (
            "cases/onnx/Cut/lengths.yaml:3: cases.0: the reference has no operator onnx.Cut-13 ([dtype=int8])\n"
            "  fix:  add it to reference.py"
        )
    ]


def test_case_that_no_form_can_ask_is_reported(suite: Suite) -> None:
    cases = suite.root / "onnx" / "Split" / "lengths.yaml"
    cases.write_text(CASES.replace("dtype: all}", "dtype: [float32, uint8]}\n    forms: [after-relu]"))
    (problem, *_) = check_suite(load_suite(suite.root))[1]
    assert problem.what == "the case cannot run in the form after-relu (versions 11, 13 and 18; [dtype=uint8])"
