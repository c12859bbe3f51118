from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from bundled import bundled_operators

from conformance.authoring.drafts import Draft, argument_from, outputs_from, write_case
from conformance.spec.operator import Operator
from conformance.suite.suite import Suite, bundled_folder, load_suite
from conformance.tensors.errors import CaseFileError, UsageError

SPLIT = Path("onnx") / "Split"
OPERATORS = tuple(bundled_operators().values())
CALLS = {
    "onnx.Concat": {"axis": "1"},
    "onnx.Gather": {"indices": "[[1], [0]]"},
    "onnx.Reshape": {"shape": "3,4"},
    "onnx.Slice": {"starts": "[1]", "ends": "[2]"},
    "onnx.Split": {"axis": "1", "split": "2,4"},
    "onnx.Squeeze": {"data": "bool[1,2,1]", "axes": "[0]"},
    "onnx.Transpose": {"perm": "1,0"},
    "onnx.Unsqueeze": {"axes": "[0]"},
    "openvino.Concat": {"axis": "-1"},
    "openvino.Gather": {"indices": "1", "axis": "0"},
    "openvino.Reshape": {"shape": "3,-1", "special_zero": "true"},
    "openvino.Slice": {"start": "[5]", "stop": "[0]", "step": "[-2]", "axes": "[1]"},
    "openvino.Split": {"axis": "1", "num_splits": "3"},
    "openvino.Squeeze": {"data": "uint4[1,2,1]", "axes": "[0]"},
    "openvino.StridedSlice": {"begin": "0,0", "end": "1,0", "stride": "1,2", "begin_mask": "0,0", "end_mask": "0,1"},
    "openvino.Transpose": {"input_order": "1,0"},
    "openvino.Unsqueeze": {"axes": "[0]"},
    "openvino.VariadicSplit": {"axis": "1", "split_lengths": "2,-1"},
    "onnx.Expand": {"shape": "2,1"},
    "openvino.Broadcast": {"target_shape": "3,2,6"},
    "onnx.Pad": {"pads": "1,0,0,1"},
    "onnx.ScatterND": {"indices": "{dtype: int64, values: [[1]]}", "updates": "float32[1,6]"},
    "openvino.ScatterNDUpdate": {"indices": "{dtype: int32, values: [[1]]}", "updates": "float32[1,6]"},
}


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    (tmp_path / SPLIT).mkdir(parents=True)
    shutil.copy(bundled_folder("cases") / SPLIT / "operator.yaml", tmp_path / SPLIT)
    shutil.copy(bundled_folder("cases") / SPLIT / "written.yaml", tmp_path / SPLIT)
    return load_suite(tmp_path)


def calls_of(operator: Operator) -> dict[str, str]:
    """The answers about the arguments besides the main data."""
    return {"paddings": "1,0,0,1"} if operator.id == "onnx.Pad-1" else CALLS[operator.family]


def drafted(name: str, **answers: str) -> Draft:
    """A draft for an operator version, with these values of its arguments."""
    operator = next(operator for operator in OPERATORS if operator.id == name)
    arguments = {argument: argument_from(operator, argument, text) for argument, text in answers.items()}
    clauses = (operator.result_clause,)
    return Draft(operator=operator, clauses=clauses, arguments=arguments, id="mine", versions=f"=={operator.version}")


def written_in(folder: Path, draft: Draft) -> str:
    """The file of a draft in a folder without other cases."""
    versions = tuple(one for one in OPERATORS if one.family == draft.operator.family)
    suite = Suite(root=folder, digest="", operators=versions, families=())
    return write_case(draft, suite, "mine.yaml", "A draft.").read_text()


def problem_with(folder: Path, draft: Draft) -> CaseFileError:
    """Why a draft is not written."""
    with pytest.raises(ExceptionGroup) as caught:
        written_in(folder, draft)
    assert not list(folder.glob("*/*/mine.yaml"))
    problem = caught.value.exceptions[0]
    assert isinstance(problem, CaseFileError)
    return problem


@pytest.fixture
def draft() -> Draft:
    return drafted("onnx.Split-18", input="float32[6]", axis="0", split="2,4")


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.id)
def test_each_bundled_operator_has_sound_drafts(operator: Operator, tmp_path: Path) -> None:
    main, tensor = operator.data[0], "float32[2,6]"
    data = {main: f"{tensor}, {tensor}" if operator.data_inputs[0].is_variadic else tensor}
    call = drafted(operator.id, **{**data, **calls_of(operator)})
    assert written_in(tmp_path, call).endswith("    outputs: law\n")


def test_call_that_must_be_rejected_may_have_any_argument_and_type(tmp_path: Path) -> None:
    draft = drafted("onnx.Split-18", input="int4[6]", split="2,4")
    rejected = replace(draft, clauses=("types.T",), rejected="types.T")
    assert written_in(tmp_path, rejected).endswith("    rejected: types.T\n")


@pytest.mark.parametrize(
    ("answers", "what", "fix"),
    [
        ({"input": "half[6]"}, "'half' is not an element type", "did you mean 'float16'?"),
        ({"input": "int8[6]", "axes": "1"}, "onnx.Split-18 takes no argument 'axes'", "did you mean 'axis'?"),
        ({"input": "int8[6]", "split": "[2, two]"}, "'two' is a text, and int64 needs a whole number", ""),
        ({"input": "int4[6]", "split": "2,4"}, "the reference rejects the call by types.T", "correct the arguments"),
        ({"input": "int8[6]", "split": "2,3"}, "the reference rejects the call by split.sum", "`rejected: split.sum`"),
        ({"input": "int8[6]", "axis": "[1"}, "is not YAML", "close the bracket"),
    ],
)
def test_draft_is_as_sound_as_check_finds_it(answers: dict[str, str], what: str, fix: str, tmp_path: Path) -> None:
    problem = problem_with(tmp_path, drafted("onnx.Split-18", **answers))
    assert what in problem.what
    assert fix in problem.fix


@pytest.mark.parametrize(
    ("text", "outputs"),
    [
        ("0:2,2:6", '["0:2", "2:6"]'),
        ("{permuted: [1, 0]}", "[{permuted: [1, 0]}]"),
        ("[[1, 2]]", "[[1, 2]]"),
        ("law", "law"),
    ],
)
def test_outputs_need_no_quotes_and_brackets(text: str, outputs: str) -> None:
    assert outputs_from(text) == outputs


def test_first_case_makes_a_file_and_the_next_goes_behind_it(draft: Draft, suite: Suite) -> None:
    sound = replace(draft, outputs='["0:2", "2:6"]', versions="==18")
    path = write_case(sound, suite, "mine.yaml", "Lengths: two of them.")
    first = path.read_text()
    assert first.startswith('operator: onnx.Split\nabout: "Lengths: two of them."\ncases:\n  - id: mine\n')
    path.write_text(first.rstrip())
    write_case(replace(sound, id="other"), load_suite(suite.root), "mine.yaml", "")
    assert path.read_text() == f"{first}\n{first[first.index('  - id') :].replace('mine', 'other')}"
    assert len(load_suite(suite.root).of_files([path]).families) == 2


def test_id_that_exists_is_refused(draft: Draft, suite: Suite) -> None:
    with pytest.raises(UsageError) as caught:
        write_case(replace(draft, id="uneven"), suite, "mine.yaml", "")
    assert str(caught.value).startswith("onnx.Split-18/uneven: exists already, and stays as it is\n")
    assert not (suite.root / SPLIT / "mine.yaml").exists()


def test_case_that_is_not_sound_is_not_written(draft: Draft, suite: Suite) -> None:
    with pytest.raises(ExceptionGroup, match=r"^nothing is written to .*/onnx/Split/mine\.yaml"):
        write_case(replace(draft, outputs='["0:3", "3:6"]', versions="==18"), suite, "mine.yaml", "")
    assert not (suite.root / SPLIT / "mine.yaml").exists()


@pytest.mark.parametrize("end", ["columns: {}\n", "about: What comes last.\n", "  broken: [\n"])
def test_file_that_does_not_end_with_its_cases_is_not_touched(end: str, draft: Draft, suite: Suite) -> None:
    path = suite.root / SPLIT / "written.yaml"
    text = path.read_text().replace("about:", "# about:") + end
    path.write_text(text)
    with pytest.raises(UsageError, match="does not end with its list of cases"):
        write_case(replace(draft, outputs='["0:2", "2:6"]', versions="==18"), suite, "written.yaml", "")
    assert path.read_text() == text
