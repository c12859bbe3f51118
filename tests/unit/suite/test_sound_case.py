"""Cases whose files keep the format and that make no sense. `hostile/` has more of them, in whole files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conformance.suite.case_product import argument_errors
from conformance.suite.suite import bundled_folder, load_suite
from conformance.tensors.errors import CaseFileError

HEAD = """operator: onnx.Split
cases:
  - id: a
    clauses: [split.sum]
    versions: "%s"
"""
DATA = "input: {dtype: float32, shape: [6]}"
BYTES = "input: {dtype: uint8, shape: [6]}"


def problems(case: str, tmp_path: Path, versions: str = ">=13,<14") -> list[CaseFileError]:
    folder = tmp_path / "onnx" / "Split"
    folder.mkdir(parents=True)
    shutil.copy(bundled_folder("cases") / "onnx" / "Split" / "operator.yaml", folder)
    (folder / "a.yaml").write_text(HEAD % versions + "".join(f"    {line}\n" for line in case.splitlines()))
    (family,) = load_suite(tmp_path).families
    return [family.at(error) for made in family.cases() for error in argument_errors(made)]


def test_a_sound_case_has_no_problem(tmp_path: Path) -> None:
    case = f'arguments: {{{DATA}, split: [2, 4]}}\noutputs: ["0:2", "2:6"]'
    assert problems(case, tmp_path) == []


@pytest.mark.parametrize(
    ("case", "place", "what"),
    [
        (
            f'arguments: {{{DATA}, split: [2, 4], num_outputs: 2}}\noutputs: ["0:2", "2:6"]',
            "arguments.num_outputs",
            "onnx.Split-13 takes no argument 'num_outputs'",
        ),
        (
            f'arguments: {{{DATA}, split: [2, 4], axis: first}}\noutputs: ["0:2", "2:6"]',
            "arguments.axis",
            "'first' is a text, and int64 needs a whole number",
        ),
        (
            f'arguments: {{{DATA}, split: [2, 5]}}\noutputs: ["0:2", "2:7"]',
            "outputs",
            "a part ends at 7, but axis 0 of the data has length 6",
        ),
        (
            f'arguments: {{{DATA}, split: [2, 4], axis: 3}}\noutputs: ["0:2", "2:6"]',
            "outputs",
            "outputs are parts of the data, but axis 3 addresses no dimension of rank 1",
        ),
        (
            f"arguments: {{{DATA}, split: [2, 4]}}\noutputs: [{{at: [0, 1]}}, {{at: [2, 3, 4, 9]}}]",
            "outputs",
            "9",
        ),
        (
            f'arguments: {{{BYTES}, split: [2, 4]}}\nforms: [after-relu]\noutputs: ["0:2", "2:6"]',
            "forms",
            "the case cannot run in the form after-relu",
        ),
    ],
)
def test_a_problem_names_its_place_and_what_is_wrong(case: str, place: str, what: str, tmp_path: Path) -> None:
    (problem,) = problems(case, tmp_path)
    assert f"cases.0.{place}" in problem.where
    assert what in problem.what
    assert problem.fix


def test_an_input_of_another_version_is_reported_from_an_unknown_one(tmp_path: Path) -> None:
    case = f'arguments: {{{DATA}, split: {{dtype: int64, values: [2, 4]}}}}\noutputs: ["0:2", "2:6"]'
    (problem,) = problems(case, tmp_path, versions=">=11,<12")
    assert problem.what == "onnx.Split-11 takes no input 'split'"
    assert problem.fix == "it is an attribute there; narrow `versions`"


def test_a_case_that_must_be_rejected_may_have_arguments_that_do_not_exist(tmp_path: Path) -> None:
    assert problems(f"arguments: {{{DATA}, split: [2, 4], num_outputs: 2}}\nrejected: split.sum", tmp_path) == []
