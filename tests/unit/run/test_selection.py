from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from gallery import HOSTILE

from conformance.protocol.form import Form
from conformance.run.selection import Selection, cases_of, checks_of, families_selected
from conformance.spec.choices import CaseSet
from conformance.suite.suite import Suite, load_suite
from conformance.tensors.errors import CaseFileError, SelectionError

CASES = """operator: onnx.Split
cases:
  - id: lengths
    versions: ">=13"
    clauses: [split.lengths]
    arguments: {input: {dtype: $dtype, shape: [6]}, axis: 0, split: [2, 4]}
    matrix: {dtype: [float32, int8]}
    outputs: ["0:2", "2:6"]
  - id: length-sum
    versions: ">=13"
    clauses: [split.sum]
    arguments: {input: {dtype: float32, shape: [6]}, split: [2, 2]}
    rejected: split.sum
"""
ALL = [
    "onnx.Split-13/lengths[dtype=float32]",
    "onnx.Split-13/lengths[dtype=int8]",
    "onnx.Split-18/lengths[dtype=float32]",
    "onnx.Split-18/lengths[dtype=int8]",
    "onnx.Split-13/length-sum",
    "onnx.Split-18/length-sum",
]


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return suite_with(CASES, tmp_path_factory.mktemp("plan"))


def selected(suite: Suite, selection: Selection) -> list[str]:
    return [case.id for case in cases_of(families_selected(suite, selection), selection)]


@pytest.mark.parametrize(
    ("selection", "chosen"),
    [
        (Selection(), ALL),
        (Selection(operators=("onnx.Split",)), ALL),
        (Selection(operators=("onnx.Split-13",)), [ALL[0], ALL[1], ALL[4]]),
        (Selection(operators=("onnx.Split-13", "onnx.Split-18")), ALL),
        (Selection(clauses=("split.sum",)), ALL[4:]),
        (Selection(cases=("onnx.Split-13/length-sum",)), [ALL[4]]),
        (Selection(cases=("onnx.Split-13/lengths[dtype=int8]",)), [ALL[1]]),
        (Selection(cases=("onnx.Split-13/lengths",)), ALL[:2]),
        (Selection(cases=("*/lengths",)), ALL[:4]),
        (Selection(cases=("*[dtype=int8]",)), [ALL[1], ALL[3]]),
        (Selection(cases=("onnx.Split-1?/lengths?dtype=int8?",)), [ALL[1], ALL[3]]),
        (Selection(cases=("onnx.Split-13/lengths[dtype=f*",)), [ALL[0]]),
        (Selection(cases=("*-18/*",), clauses=("split.sum",)), [ALL[5]]),
    ],
)
def test_selection_chooses_cases(selection: Selection, chosen: list[str], suite: Suite) -> None:
    assert selected(suite, selection) == chosen


def test_forms_of_a_case_stand_together(suite: Suite) -> None:
    selection = Selection(cases=("*-13/lengths[dtype=int8]", "*-13/length-sum"))
    checks = [(check.case.id, check.form) for check in checks_of(families_selected(suite, selection), selection)]
    usual = [form for form in Form if form.is_usual]
    of_valid = [form for form in usual if not form.has_unknown_ranks]
    assert checks == [(ALL[1], form) for form in of_valid] + [(ALL[4], form) for form in usual[:6]]


def test_chosen_forms_run_where_a_case_has_them(suite: Suite) -> None:
    selection = Selection(operators=("onnx.Split-13",), forms=(Form.AXIS_FROM_END,))
    checks = [(check.case.id, check.form) for check in checks_of(families_selected(suite, selection), selection)]
    assert checks == [(ALL[0], Form.AXIS_FROM_END), (ALL[1], Form.AXIS_FROM_END)]


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (
            Selection(operators=("onnx.Splt",)),
            "--operator 'onnx.Splt': there is no such operator\n  fix:  did you mean 'onnx.Split'?",
        ),
        (
            Selection(operators=("zzz",)),
            (
                "--operator 'zzz': there is no such operator\n"
                "  fix:  there are onnx.Split, onnx.Split-11, onnx.Split-13, onnx.Split-18, ..."
            ),
        ),
        (
            Selection(clauses=("split.smu",)),
            "--clause 'split.smu': there is no such clause\n  fix:  did you mean 'split.sum'?",
        ),
        (
            Selection(cases=("onnx.Split-13/lenghts[dtype=int8]",)),
            (
                "--case 'onnx.Split-13/lenghts[dtype=int8]': no case has such an id\n"
                "  fix:  did you mean 'onnx.Split-13/lengths'?"
            ),
        ),
        (
            Selection(cases=("zzz*",)),
            "--case 'zzz*': no case has such an id\n  fix:  `conformance list` shows all; use * and ?",
        ),
        (
            Selection(operators=("onnx.Split-11",), clauses=("split.sum",)),
            "selection: no case matches all of these options\n  fix:  leave one of the options out",
        ),
    ],
)
def test_name_that_nothing_has_is_reported(selection: Selection, message: str, suite: Suite) -> None:
    with pytest.raises(SelectionError) as caught:
        families_selected(suite, selection)
    assert str(caught.value) == message


def test_all_unknown_names_but_the_first_wait(suite: Suite) -> None:
    with pytest.raises(SelectionError, match="--operator 'a'"):
        families_selected(suite, Selection(operators=("a",), clauses=("b",), cases=("c",)))


def test_cases_that_are_only_in_other_sets_are_refused_with_every_such_set(tmp_path: Path) -> None:
    folder = tmp_path / "cases" / "onnx" / "Split"
    folder.mkdir(parents=True)
    shutil.copy(HOSTILE / "operator.yaml", folder)
    for name, memory in (("full", ""), ("huge", "memory: 1 GiB\n")):
        text = CASES.replace("cases:", f"set: {name}\n{memory}cases:").replace("id: l", f"id: {name}-l")
        (folder / f"{name}.yaml").write_text(text)
    with pytest.raises(SelectionError) as caught:
        selected(load_suite(tmp_path / "cases"), Selection(cases=("onnx.Split-13/*-lengths",)))
    assert caught.value.what == "has cases only in the sets 'full' and 'huge'"
    assert caught.value.fix == "add `--set full` or `--set huge`"
    with pytest.raises(SelectionError) as caught:
        selected(load_suite(tmp_path / "cases"), Selection(cases=("onnx.Split-13/full-lengths",)))
    assert (caught.value.what, caught.value.fix) == ("has cases only in the set 'full'", "add `--set full`")


TURNS = """operator: onnx.Split
cases:
  - id: turns
    versions: "==13"
    clauses: [split.lengths]
    forms: [constant]
    forms_in_turn: [runtime, dynamic, before-concat]
    arguments: {input: {dtype: $dtype, shape: [6]}, axis: 0, split: [2, 4]}
    matrix: {dtype: [float32, int8, int16, int32]}
    outputs: ["0:2", "2:6"]
"""


def suite_with(text: str, folder: Path) -> Suite:
    place = folder / "cases" / "onnx" / "Split"
    place.mkdir(parents=True)
    shutil.copy(HOSTILE / "operator.yaml", place)
    (place / "a.yaml").write_text(text)
    return load_suite(folder / "cases")


@pytest.fixture
def suite_of_turns(tmp_path: Path) -> Suite:
    return suite_with(TURNS, tmp_path)


def forms_by_type(suite: Suite, selection: Selection) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for check in checks_of(families_selected(suite, selection), selection):
        found.setdefault(check.case.id.partition("=")[2].rstrip("]"), []).append(check.form.value)
    return found


def test_products_take_turns_at_forms_in_the_default_set(suite_of_turns: Suite) -> None:
    assert forms_by_type(suite_of_turns, Selection()) == {
        "float32": ["constant", "runtime"],
        "int8": ["constant", "dynamic"],
        "int16": ["constant", "before-concat"],
        "int32": ["constant", "runtime"],
    }


def test_a_turn_does_not_depend_on_what_else_is_chosen(suite_of_turns: Suite) -> None:
    assert forms_by_type(suite_of_turns, Selection(dtypes=("int16",), forms=(Form.BEFORE_CONCAT, Form.RUNTIME))) == {
        "int16": ["before-concat"]
    }


def test_the_full_set_has_all_forms_in_turn(suite_of_turns: Suite) -> None:
    found = forms_by_type(suite_of_turns, Selection(sets=(CaseSet.DEFAULT, CaseSet.FULL)))
    assert list(found.values()) == [["constant", "runtime", "dynamic", "before-concat"]] * 4


def test_a_form_of_every_product_has_no_turn(tmp_path: Path) -> None:
    suite = suite_with(TURNS.replace("[constant]", "[constant, dynamic]"), tmp_path)
    with pytest.raises(CaseFileError, match="'dynamic' is also one of the `forms`"):
        forms_by_type(suite, Selection())
