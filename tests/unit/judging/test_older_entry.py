from __future__ import annotations

import pytest
import yaml

from conformance.formats.suite import load_suite
from conformance.formats.yaml_document import Plain
from conformance.judging.older_entry import rewritten
from conformance.language.case import Case

CASES = """operator: onnx.Split
cases:
  - id: front
    clauses: [split.lengths]
    versions: ">=13"
    arguments: {input: {dtype: $dtype, shape: [6, 2]}, split: [2, 4], axis: 0}
    matrix: {dtype: [float32, string]}
    outputs: ["0:2", "2:6"]
  - id: from-the-end
    clauses: [split.lengths]
    versions: ">=13"
    arguments: {input: {dtype: $dtype, shape: [6, 2]}, split: [2, 4], axis: -2}
    matrix: {dtype: [float32, string]}
    outputs: ["0:2", "2:6"]
  - id: like-the-front
    clauses: [axis.range]
    versions: ">=13"
    arguments: {input: {dtype: float32, shape: [6, 2]}, split: [2, 4], axis: 0}
    outputs: ["0:2", "2:6"]
  - id: too-much
    clauses: [split.sum]
    versions: ">=13"
    arguments: {input: {dtype: float32, shape: [6, 2]}, split: [2, 5], axis: -2}
    rejected: split.sum
"""
ENTRY: dict[str, Plain] = {"id": "a", "operators": ["onnx.Split-13"], "what": "it is wrong"}


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    folder = tmp_path_factory.mktemp("cases") / "onnx" / "Split"
    folder.mkdir(parents=True)
    (folder / "a.yaml").write_text(CASES)
    return [case for family in load_suite(folder.parent.parent).families for case in family.cases()]


@pytest.mark.parametrize(
    ("older", "condition"),
    [
        ({"cases": ["*"]}, "True"),
        ({"cases": ["onnx.Split-13/*"]}, "True"),
        ({"except": ["*/like-the-front"], "clauses": ["split.lengths", "split.sum"]}, "True"),
        ({"cases": ["*/too-much"]}, "True"),  # no valid call is rejected by the clause
        ({"cases": ["*/from-the-end*"]}, "axis < 0"),
        ({"cases": ["*string]"]}, "data_type == 'string'"),
        ({"cases": ["*"], "except": ["*/front*", "*/like-the-front", "*/too-much"]}, "axis < 0"),
        ({"cases": ["*/from-the-end[dtype=string]"]}, "axis < 0 and data_type == 'string'"),
    ],
)
def test_the_condition_is_true_of_the_named_cases_alone(
    older: dict[str, Plain], condition: str, cases: list[Case]
) -> None:
    text = rewritten(ENTRY | older, cases)
    assert "#" not in text
    (entry,) = yaml.safe_load(text)
    assert entry == ENTRY | {key: value for key, value in older.items() if key == "clauses"} | {"when": condition}


def test_a_comment_says_of_which_other_case_the_condition_is_true(cases: list[Case]) -> None:
    assert rewritten(ENTRY | {"cases": ["*/like-the-front"]}, cases) == (
        "- id: a\n"
        "  operators: [onnx.Split-13]\n"
        "  what: it is wrong\n"
        "  # narrow this: it is also true of onnx.Split-13/front[dtype=float32]\n"
        "  when: axis == 0"
    )


def test_a_comment_says_that_no_case_has_such_an_id(cases: list[Case]) -> None:
    assert rewritten({"cases": "other", **ENTRY}, cases) == (
        "- id: a\n"
        "  # narrow this: no bundled case has such an id\n"
        "  when: 'True'\n"
        "  operators: [onnx.Split-13]\n"
        "  what: it is wrong"
    )
