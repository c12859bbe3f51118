from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from bundled import bundled_operators

from conformance.authoring.drafts import Draft, outputs_from, write_case
from conformance.spec.operator import Operator
from conformance.suite.suite import Suite, bundled_folder, load_suite
from conformance.suite.yaml_file import SchemaError
from conformance.tensors.errors import UsageError

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
    """A draft for an operator version, with these answers about its arguments."""
    operator = next(operator for operator in OPERATORS if operator.id == name)
    draft = Draft(operator=operator, clauses=tuple(operator.clauses)[:1], id="mine")
    for argument, answer in answers.items():
        draft = draft.with_argument(argument, answer)
    return draft


def broken_clause(draft: Draft) -> str:
    """The clause by which the reference rejects the call."""
    with pytest.raises(SchemaError) as caught:
        draft.proposed_outputs()
    return caught.value.fix.rpartition(" ")[2]


@pytest.fixture
def draft() -> Draft:
    return drafted("onnx.Split-18", input="float32[6]", axis="0", split="2,4")


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.id)
def test_each_bundled_operator_has_sound_drafts(operator: Operator) -> None:
    main, tensor = operator.data[0], "float32[2,6]"
    data = {main: f"{tensor}, {tensor}" if operator.data_inputs[0].is_variadic else tensor}
    call = drafted(operator.id, **{**data, **calls_of(operator)})
    replace(call, outputs=outputs_from(call.proposed_outputs())).require_sound()
    without_data = drafted(operator.id, **{**calls_of(operator), main: "none"})
    replace(without_data, rejected=broken_clause(without_data)).require_sound()


@pytest.mark.parametrize(
    ("operator", "answers", "proposed"),
    [
        ("onnx.Split-18", {"input": "int8[6]", "axis": "0", "split": "2,4"}, "0:2,2:6"),
        ("onnx.Split-18", {"input": "int8[6]", "num_outputs": "4"}, "0:2,2:4,4:6,6:6"),
        ("onnx.Transpose-25", {"data": "int8[2,3]"}, "[{at: [[0, 3], [1, 4], [2, 5]]}]"),
        ("onnx.Transpose-25", {"data": "int8[5,6]"}, "[{block: {start: 0, shape: [6, 5], strides: [1, 6]}}]"),
        ("onnx.Transpose-25", {"data": "int8[1025]"}, ""),
        ("onnx.Concat-1", {"inputs": "float16[1], float16[2]", "axis": "0"}, "[{at: [0, 1, 2]}]"),
        ("onnx.Gather-13", {"data": "int8[2,3]", "indices": "{dtype: int32, shape: [0]}"}, "[{at: [], shape: [0, 3]}]"),
        ("openvino.Gather-8", {"data": "bool[2]", "indices": "1,2", "axis": "0"}, "[{at: [1, {value: false}]}]"),
        ("openvino.Gather-8", {"data": "string[2]", "indices": "2", "axis": "0"}, '[{at: {value: ""}}]'),
    ],
)
def test_reference_proposes_the_outputs(operator: str, answers: dict[str, str], proposed: str) -> None:
    assert drafted(operator, **answers).proposed_outputs() == proposed


def test_irregular_outputs_have_a_number_for_each_place() -> None:
    draft = drafted("onnx.Gather-13", data="int8[3,9]", indices="0,2,2")
    assert draft.proposed_outputs().startswith("[{at: [[0, 1, 2, 3, 4, 5, 6, 7, 8], [18, ")


def test_reference_proposes_no_outputs_for_an_invalid_call() -> None:
    with pytest.raises(SchemaError) as caught:
        drafted("onnx.Split-18", input="int8[6]", split="2,3").proposed_outputs()
    assert caught.value.what == "the reference rejects the call by split.sum: the lengths add up to 5, axis 0 has 6"
    assert caught.value.fix == "correct the call, or expect a rejection by split.sum"


@pytest.mark.parametrize(
    ("name", "answer", "what", "fix"),
    [
        ("input", "half[6]", "'half' is not an element type", "did you mean 'float16'?"),
        ("input", "2,6", "'2,6' has no element type", "write type and shape, as float32[2,6]"),
        ("input", "{dtype: int8}", "a tensor without values has no shape", "write `shape:`, as [2, 6], or `values:`"),
        (
            "input",
            "float32[1099511627776]",
            "the shape (1099511627776,) describes 4,096.0 GiB of float32",
            "a tensor of a case may hold 1 GiB",
        ),
        ("split", "{dtype: int32, values: [6]}", "the page does not allow int32 for 'split'", "write one of int64"),
        ("split", "[2, two]", "'two' is a text, and int64 needs a whole number", "write a whole number"),
        ("axes", "1", "onnx.Split-18 takes no argument 'axes'", "did you mean 'axis'?"),
        (
            "axis",
            "[1",
            "is not YAML: did not find expected ',' or ']'",
            "close the bracket, or write a comma between the entries",
        ),
        (
            "axis",
            "1\nid: other",
            "'1\\nid: other' is not one line of text",
            "write it in one line, as {a: 1, b: [2, 3]}",
        ),
    ],
)
def test_answer_that_is_no_value_of_the_argument_is_refused(
    name: str, answer: str, what: str, fix: str, draft: Draft
) -> None:
    with pytest.raises(SchemaError) as caught:
        draft.with_argument(name, answer)
    assert (caught.value.what, caught.value.fix) == (what, fix)


def test_call_that_must_be_rejected_may_have_any_argument_and_type(draft: Draft) -> None:
    rejected = replace(draft, clauses=("types.T",), rejected="types.T")
    assert rejected.with_argument("input", "int4[6]").with_argument("axes", "1").arguments["axes"] == "1"


def test_draft_is_as_sound_as_check_finds_it(draft: Draft) -> None:
    replace(draft, outputs='["0:2", "2:6"]').require_sound()
    with pytest.raises(SchemaError) as caught:
        replace(draft, outputs='["0:3", "3:6"]').require_sound()
    assert caught.value.what == "output 0 is written with the shape [3], but the reference computes [2]"


def test_number_of_outputs_is_declared_if_it_follows_from_no_argument() -> None:
    assert not drafted("onnx.Split-18", input="int8[6]", num_outputs="3").has_outputs_to_declare
    by_outputs = drafted("onnx.Split-11", input="int8[6]")
    assert by_outputs.has_outputs_to_declare
    declared = replace(by_outputs, declared_outputs=3)
    assert declared.text().splitlines()[-2:] == ["  declared_outputs: 3", "  outputs: []"]
    assert declared.proposed_outputs() == "0:2,2:4,4:6"


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
