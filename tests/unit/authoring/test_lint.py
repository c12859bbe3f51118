from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from gallery import HOSTILE

from conformance.authoring.lint import check_deviations, check_suite, dropped_forms, untested_clauses
from conformance.spec.reference import OPERATORS
from conformance.suite.suite import Suite, bundled_folder, load_suite

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
    operators: {operators}
    when: "True"
    clauses: {clauses}
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


def test_every_bundled_operator_has_both_oracles(bundled: Suite) -> None:
    assert {operator.id for operator in bundled.operators if operator.law is not None} == OPERATORS


def test_products_are_counted(suite: Suite) -> None:
    tally, problems = check_suite(suite)
    assert problems == []
    assert (tally.cases, tally.compared) == (15, 15)


def test_every_form_that_a_bundled_case_names_runs(bundled: Suite) -> None:
    assert [str(problem) for problem in dropped_forms(bundled)] == []


def test_form_that_no_product_runs_is_reported_with_what_it_needs(tmp_path: Path) -> None:
    folder = tmp_path / "cases" / "onnx" / "Gather"
    folder.mkdir(parents=True)
    (folder / "rows.yaml").write_text(
        "operator: onnx.Gather\n"
        "cases:\n"
        "  - id: rows\n"
        "    clauses: [outputs.values]\n"
        "    forms: [second-call, second-arguments, second-rank]\n"
        "    forms_in_turn: [axis-from-end, before-concat]\n"
        "    matrix: {dtype: [float32, int8]}\n"
        "    arguments:\n"
        "      {data: {dtype: $dtype, shape: [4, 2]}, indices: {dtype: int64, values: [2, 0]}, axis: 0}\n"
        "    outputs: [{at: [[4, 5], [0, 1]]}]\n"
    )
    place = "cases/onnx/Gather/rows.yaml"
    assert [str(problem) for problem in dropped_forms(load_suite(tmp_path / "cases"))] == [
        (
            f"{place}:5: cases.0.forms.2: no product of the case runs in the form 'second-rank'\n"
            "  fix:  remove the form, or give the case parts of data that can have another dim"
        ),
        (
            f"{place}:6: cases.0.forms_in_turn.0: no product of the case runs in the form 'axis-from-end'\n"
            "  fix:  remove the form, or give the case an axis that can be counted from the end"
        ),
        (
            f"{place}:6: cases.0.forms_in_turn.1: no product of the case runs in the form 'before-concat'\n"
            "  fix:  remove the form, or give the case outputs that are parts of the data along an axis"
        ),
    ]


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


@pytest.mark.parametrize("operator", ["onnx.Split-13", "onnx.*", "*"])
def test_deviation_that_speaks_of_an_operator_of_the_suite_has_no_problem(
    operator: str, suite: Suite, tmp_path: Path
) -> None:
    folder = adapter_with(DEVIATION.format(operators=f"['{operator}']", clauses="[split.sum]"), tmp_path / "toy")
    assert check_deviations(suite, [folder]) == []


def test_deviation_that_names_what_the_suite_does_not_have_is_reported(suite: Suite, tmp_path: Path) -> None:
    names = {"operators": "[onnx.Split-12, onnx.Split, onnx.Split-11]", "clauses": "[split.sum, split.lengths]"}
    folder = adapter_with(DEVIATION.format(**names), tmp_path / "toy")
    place, fix = "toy/deviations.yaml: drops-it", "\n  fix:  correct or remove the name"
    assert [str(problem) for problem in check_deviations(suite, [folder])] == [
        f"{place}: no operator version is named 'onnx.Split-12'{fix}",
        f"{place}: no operator version is named 'onnx.Split'{fix}",
        f"{place}: none of its operators has a clause 'split.sum'{fix}",
    ]


def test_form_that_no_case_of_the_condition_can_have_is_reported(suite: Suite, tmp_path: Path) -> None:
    written = DEVIATION.format(operators="['onnx.Split-11']", clauses="[split.lengths]")
    forms = "    forms: [known-dims, runtime, uncounted-lengths]\n    clauses"
    folder = adapter_with(written.replace("    clauses", forms), tmp_path / "toy")
    place, what = "toy/deviations.yaml: drops-it", "no case of which `when` is true can be in the form"
    assert [str(problem) for problem in check_deviations(suite, [folder])] == [
        f"{place}: {what} 'runtime'\n  fix:  remove the form, which needs an input besides the data",
        f"{place}: {what} 'uncounted-lengths'\n  fix:  remove the form, which needs lengths that are an input",
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


@pytest.mark.parametrize(
    ("twin", "problem"),
    [
        ("", "a rejection of it would show nothing"),
        ("twin: {starts: [0]}", "is not valid, either"),
        ("twin: {starts: [0], ends: [2], axes: [0]}", ""),
    ],
)
def test_a_call_that_must_be_rejected_needs_a_valid_twin(twin: str, problem: str, tmp_path: Path) -> None:
    folder = tmp_path / "cases" / "onnx" / "Slice"
    folder.mkdir(parents=True)
    (folder / "wrong.yaml").write_text(f"""operator: onnx.Slice
cases:
  - id: three-numbers
    versions: "==1"
    clauses: [indices.type]
    arguments: {{data: {{dtype: float32, shape: [4]}}, starts: 0, ends: 2, axes: 0}}
    rejected: indices.type
    {twin}
""")
    found = [str(item) for item in check_suite(load_suite(tmp_path / "cases"))[1]]
    assert len(found) == bool(problem), found
    assert all(problem in item for item in found)
