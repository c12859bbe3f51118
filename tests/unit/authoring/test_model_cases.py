"""Cases from the nodes of a model: what is known of their inputs, how outputs are written, and what is left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
import yaml
from bundled import bundled_operators
from model_texts import BRANCHES, CLEAR, LOOP, OPEN, OTHERS, saved
from onnx import TensorProto, helper, numpy_helper

from conformance.authoring.model_cases import ModelCases, cases_of_model
from conformance.protocol.form import Form
from conformance.spec.operator import Operator
from conformance.tensors.errors import UsageError

UNREACHED = "it does not run, or only under a condition: --inputs makes that known"
WITH_OUR_LENGTHS = "with all lengths that were tried for its unknown dims: --inputs makes them known"
X = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 4])


@cache
def operators() -> tuple[Operator, ...]:
    return tuple(bundled_operators().values())


def cases(
    folder: Path,
    *nodes: onnx.NodeProto,
    opset: int = 13,
    constants: dict[str, Any] | None = None,
    inputs: dict[str, Any] | None = None,
    graph_inputs: Sequence[onnx.ValueInfoProto] = (X,),
) -> ModelCases:
    initializers = [numpy_helper.from_array(np.array(value), name) for name, value in (constants or {}).items()]
    output = helper.make_tensor_value_info("y", TensorProto.UNDEFINED, None)
    graph = helper.make_graph(nodes, "graph", graph_inputs, [output], initializer=initializers)
    path = folder / "model.onnx"
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("vendor", 1)]
    onnx.save(helper.make_model(graph, opset_imports=imports), path)
    return cases_of_model(path, None if inputs is None else saved_arrays(folder, **inputs), operators())


def saved_arrays(folder: Path, **arrays: Any) -> Path:
    np.savez(folder / "inputs.npz", **arrays)
    return folder / "inputs.npz"


def cases_of_text(folder: Path, text: str, inputs: Path | None = None) -> ModelCases:
    return cases_of_model(saved(folder / "model.onnx", text), inputs, operators())


def written_cases(made: ModelCases) -> list[dict[str, Any]]:
    return [case for text in made.files.values() for case in yaml.safe_load(text)["cases"]]


def only_case(made: ModelCases) -> dict[str, Any]:
    assert (made.num_cases, made.left_out) == (1, {})
    (case,) = written_cases(made)
    return case


def test_the_law_says_what_comes_of_the_arguments_of_a_node(tmp_path: Path) -> None:
    node = helper.make_node("Split", ["x", "lengths"], ["y", "rest"], axis=1)
    case = only_case(cases(tmp_path, node, constants={"lengths": [1, 3]}))
    assert case["versions"] == "==13"
    assert case["arguments"] == {"input": {"dtype": "float32", "shape": [2, 4]}, "split": [1, 3], "axis": 1}
    assert case["outputs"] == "law"


def test_equal_parts_name_the_number_of_outputs(tmp_path: Path) -> None:
    case = only_case(cases(tmp_path, helper.make_node("Split", ["x"], ["y", "rest"], axis=1)))
    assert case["declared_outputs"] == 2


def test_a_type_that_is_not_the_default_is_written(tmp_path: Path) -> None:
    node = helper.make_node("Gather", ["x", "at"], ["y"], axis=1)
    case = only_case(cases(tmp_path, node, constants={"at": np.array([2, 0, 3], np.int32)}))
    assert case["arguments"]["indices"] == {"dtype": "int32", "values": [2, 0, 3]}


def test_constants_of_nodes_are_known(tmp_path: Path) -> None:
    value = numpy_helper.from_array(np.array([3, 1]))
    nodes = [
        helper.make_node("Constant", [], ["lengths"], value=value),
        helper.make_node("Split", ["x", "lengths"], ["y", "rest"], axis=1),
    ]
    assert only_case(cases(tmp_path, *nodes))["arguments"]["split"] == [3, 1]


def test_inputs_make_everything_known(tmp_path: Path) -> None:
    lengths = helper.make_tensor_value_info("lengths", TensorProto.INT64, ["parts"])
    node = helper.make_node("Split", ["x", "lengths"], ["y", "rest"], axis=1)
    unknown = cases(tmp_path, node, graph_inputs=(X, lengths))
    assert dict(unknown.left_out) == {"onnx.Split-13: split is not a constant: --inputs makes its value known": 1}
    inputs = {"x": np.zeros((3, 4), np.float32), "lengths": np.array([2, 2])}
    case = only_case(cases(tmp_path, node, graph_inputs=(X, lengths), inputs=inputs))
    assert case["arguments"] == {"input": {"dtype": "float32", "shape": [3, 4]}, "split": [2, 2], "axis": 1}


@pytest.mark.parametrize(
    ("node", "constants", "reason"),
    [
        (
            helper.make_node("Split", ["table", "lengths"], ["y", "rest"]),
            {"table": np.zeros(4), "lengths": [1, 1]},
            "onnx.Split-13: the call violates split.sum",
        ),
        (
            helper.make_node("Transpose", ["nowhere"], ["y"]),
            {},
            "onnx.Transpose-13: a type or a shape is unknown: --inputs makes it known",
        ),
        (
            helper.make_node("Transpose", ["x"], ["y"], perm=numpy_helper.from_array(np.array(1))),
            {},
            "onnx.Transpose-13: the attribute perm is neither a number nor a text",
        ),
    ],
    ids=["invalid", "unknown", "tensor-attribute"],
)
def test_a_node_that_no_case_can_be_made_of_is_left_out_with_its_reason(
    node: onnx.NodeProto, constants: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    made = cases(tmp_path, node, constants=constants)
    assert (made.num_nodes, made.left_out) == (1, {reason: 1})


def test_other_operators_and_domains_are_passed_over(tmp_path: Path) -> None:
    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Split", ["x"], ["a", "b"], domain="vendor")]
    made = cases(tmp_path, *nodes)
    assert (made.files, made.num_nodes) == ({}, 2)
    assert made.uncovered == {"Relu": 1, "Split": 1}


def test_the_same_call_of_two_nodes_is_one_case(tmp_path: Path) -> None:
    nodes = [helper.make_node("Transpose", ["x"], [name], name=name) for name in ("y", "z")]
    made = cases(tmp_path, *nodes)
    assert (made.num_cases, made.num_nodes) == (1, 2)
    assert '# node "y", and 1 other node with the same call' in made.files["onnx/Transpose/model-13.yaml"]


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.onnx").write_text("no model")
    with pytest.raises(UsageError, match=r"text\.onnx"):
        cases_of_model(tmp_path / "text.onnx", None, operators())


def test_a_node_of_a_domain_that_the_model_does_not_import_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"its types and shapes cannot be inferred: .*nobody"):
        cases(tmp_path, helper.make_node("Split", ["x"], ["y"], domain="nobody"))


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"nothing": np.zeros(2)}, "the model has no input nothing"),
        ({"x": np.zeros((2, 4))}, "x has the type float64"),
        ({"x": np.zeros((2, 5), np.float32)}, r"x has the shape \[2, 5\](.|\n)*the model takes \[any, 4\]"),
        ({}, "lacks the input x"),
    ],
    ids=["unknown", "other-type", "other-shape", "missing"],
)
def test_inputs_that_do_not_fit_are_refused(inputs: dict[str, Any], message: str, tmp_path: Path) -> None:
    node = helper.make_node("Split", ["x"], ["y", "rest"], axis=1)
    with pytest.raises(UsageError, match=message):
        cases(tmp_path, node, inputs=inputs)


@pytest.mark.parametrize("name", CLEAR)
def test_a_clear_call_of_any_opset_has_one_answer(name: str, tmp_path: Path) -> None:
    made = cases_of_text(tmp_path, CLEAR[name], saved_arrays(tmp_path, ids=[2, 0]) if name == "embedding" else None)
    assert made.num_cases
    assert made.left_out == {}
    assert all("outputs" in case for case in written_cases(made))


@pytest.mark.parametrize("name", OPEN)
def test_a_call_that_its_page_leaves_open_is_left_out_with_its_clauses(name: str, tmp_path: Path) -> None:
    made = cases_of_text(tmp_path, OPEN[name])
    (reason,) = made.left_out
    assert made.num_cases == 0
    assert re.search(r": its page leaves this open \([a-z_., ]+\): [A-Z].*\.$", reason)


@pytest.mark.parametrize(("name", "shape"), [("squeeze-batch", [1, 4, 3, 5]), ("split-half", [2, 2])])
def test_lengths_of_symbolic_dims_keep_the_page_of_a_valid_model(name: str, shape: list[int], tmp_path: Path) -> None:
    case = only_case(cases_of_text(tmp_path, CLEAR[name]))
    assert next(iter(case["arguments"].values()))["shape"] == shape


def test_a_call_that_no_length_makes_valid_is_no_violation(tmp_path: Path) -> None:
    text = (
        "<ir_version: 8, opset_import: ['': 13]> g (float[n] x) => (float[] y, float[] z) "
        "<int64[2] of = {300, 77}> { y, z = Split (x, of) }"
    )
    reason = f"onnx.Split-13: the call violates split.sum {WITH_OUR_LENGTHS}"
    assert cases_of_text(tmp_path, text).left_out == {reason: 1}
    inputs = saved_arrays(tmp_path, x=np.zeros(377, np.float32))
    assert only_case(cases_of_text(tmp_path, text, inputs))["arguments"]["split"] == [300, 77]


def test_a_branch_that_does_not_run_is_no_case(tmp_path: Path) -> None:
    inputs = saved_arrays(tmp_path, x=np.zeros((2, 4), np.float32), c=np.array(False))
    made = cases_of_text(tmp_path, BRANCHES, inputs)
    assert list(made.files) == ["onnx/Transpose/model-13.yaml"]
    assert made.left_out == {"onnx.Squeeze-13: it does not run with these inputs": 1}
    without = cases_of_text(tmp_path, BRANCHES)
    assert without.num_cases == 0
    assert without.left_out == {f"onnx.Squeeze-13: {UNREACHED}": 1, f"onnx.Transpose-13: {UNREACHED}": 1}


def test_a_body_is_computed_as_often_as_it_runs(tmp_path: Path) -> None:
    inputs = saved_arrays(tmp_path, x=np.zeros((4, 3), np.float32), times=np.array(3))
    made = cases_of_text(tmp_path, LOOP, inputs)
    joined = [
        case["arguments"]["inputs"][0]["shape"]
        for case in written_cases(made)
        if case["versions"] == "==13" and "inputs" in case["arguments"]
    ]
    assert joined == [[0, 3], [1, 3], [2, 3]]
    assert (made.num_covered, made.uncovered) == (4, {"Loop": 1, "Identity": 1})


def test_nodes_of_a_function_are_nodes_of_the_model(tmp_path: Path) -> None:
    made = cases_of_text(tmp_path, CLEAR["function"])
    assert (made.num_cases, made.num_covered, made.num_nodes) == (2, 2, 2)


def test_inputs_of_types_that_numpy_lacks_have_the_type_of_the_model(tmp_path: Path) -> None:
    text = "<ir_version: 8, opset_import: ['': 13]> g (bfloat16[n,2] x) => (bfloat16[] y) { y = Transpose (x) }"
    inputs = saved_arrays(tmp_path, x=np.ones((3, 2), ml_dtypes.bfloat16))
    case = only_case(cases_of_text(tmp_path, text, inputs))
    assert case["arguments"] == {"data": {"dtype": "bfloat16", "shape": [3, 2]}}


def test_a_call_runs_as_it_is_in_the_model(tmp_path: Path) -> None:
    case = only_case(cases_of_text(tmp_path, CLEAR["squeeze-batch"]))
    assert case["forms"] == ["as-in-the-model"]
    assert case["in_model"] == {"data": [None, 4, None, None]}
    (embedded,) = written_cases(cases_of_text(tmp_path, CLEAR["embedding"], saved_arrays(tmp_path, ids=[2, 0])))
    assert embedded["in_model"] == {"indices": [None]}


@pytest.mark.parametrize("node", ["y = Pad (x, p)", 'y = Pad (x, p, "", a)', 'y = Pad <mode = "constant"> (x, p)'])
def test_a_pad_without_a_value_is_a_case_whose_outputs_the_law_computes(node: str, tmp_path: Path) -> None:
    text = "<ir_version: 8, opset_import: ['': 19]> g (float[n,3,8,8] x) => (float[] y) "
    constants = "<int64[8] p = {0, 0, 1, 1, 0, 0, 1, 1}, int64[4] a = {0, 1, 2, 3}>"
    case = only_case(cases_of_text(tmp_path, f"{text}{constants} {{ {node} }}"))
    assert case["outputs"] == "law"
    assert case["in_model"] == {"data": [None, 3, 8, 8]}
    opset_7 = "<ir_version: 3, opset_import: ['': 7]> g (float[2] x) => (float[] y)"
    for value in ("", ", value: float = 1.5"):
        pad = f"{opset_7} {{ y = Pad <pads: ints = [1, 1]{value}> (x) }}"
        assert only_case(cases_of_text(tmp_path, pad))["outputs"] == "law"


def test_dims_of_minus_1_are_unknown(tmp_path: Path) -> None:
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [-1, 4]) for name in ("x", "h"))
    nodes = [helper.make_node("Relu", ["x"], ["h"]), helper.make_node("Transpose", ["h"], ["y"])]
    graph = helper.make_graph(nodes, "graph", [x], [helper.make_empty_tensor_value_info("y")], value_info=[y])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), tmp_path / "model.onnx")
    made = cases_of_model(tmp_path / "model.onnx", None, operators())
    assert only_case(made)["in_model"] == {"data": [None, 4]}


def test_what_follows_from_known_dims_is_constant(tmp_path: Path) -> None:
    text = (
        "<ir_version: 8, opset_import: ['': 18]> g (float[n,4] x) => (float[] y) <int64 z = {0}, int64 o = {1}> "
        "{ s = Shape (x) rank = Size (s) first = Range (z, rank, o) y = Gather <axis: int = 1> (x, first) }"
    )
    case = only_case(cases_of_text(tmp_path, text))
    assert case["arguments"]["indices"] == [0, 1]
    assert case["in_model"] == {"data": [None, 4]}


def test_shapes_that_a_model_says_hold_where_none_is_inferred(tmp_path: Path) -> None:
    text = (
        "<ir_version: 8, opset_import: ['': 18, 'vendor': 1]> g (float[n,4] x) => (float[] y) <float[2,4] h> "
        "{ h = vendor.Mystery (x) y = Transpose (h) }"
    )
    assert only_case(cases_of_text(tmp_path, text))["in_model"] == {"data": [2, 4]}


@pytest.mark.parametrize("given", [(), ("x",)])
def test_what_no_input_makes_known_names_the_operator_that_is_not_computed(given: tuple[str], tmp_path: Path) -> None:
    text = (
        "<ir_version: 8, opset_import: ['': 18, 'vendor': 1]> g (float[2,4] x) => (float[] y, float[] z) "
        "{ a = vendor.Mystery (x) b = Relu (a) y = Transpose (b) "
        "c = Cast <to: int = 9> (b) z = If (c) <then_branch: graph = t () => (float[] d) { d = Transpose (x) }, "
        "else_branch: graph = e () => (float[] f) { f = Relu (x) }> }"
    )
    inputs = saved_arrays(tmp_path, **dict.fromkeys(given, np.zeros((2, 4), np.float32))) if given else None
    missing = "the package onnx does not compute Mystery"
    assert cases_of_text(tmp_path, text, inputs).left_out == {
        f"onnx.Transpose-13: a type or a shape is unknown: {missing}": 1,
        f"onnx.Transpose-13: it does not run, or only under a condition: {missing}": 1,
    }


def test_further_forms_are_those_that_a_case_fits(tmp_path: Path) -> None:
    path = saved(tmp_path / "model.onnx", CLEAR["transpose-12"])
    made = cases_of_model(path, None, operators(), [Form.DYNAMIC, Form.RUNTIME_LENGTHS])
    assert only_case(made)["forms"] == ["as-in-the-model", "dynamic"]


def test_what_is_not_covered_is_counted_by_operator(tmp_path: Path) -> None:
    made = cases_of_text(tmp_path, OTHERS)
    assert (made.num_covered, made.num_nodes) == (1, 5)
    assert made.uncovered == {"Relu": 2, "Mystery": 1, "Transpose": 1}
