"""Cases from the nodes of a model: what is known of their inputs, how outputs are written, and what is left out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import yaml
from onnx import TensorProto, helper, numpy_helper

from conformance.authoring.model_cases import ModelCases, cases_of_model
from conformance.formats.suite import bundled_folder, load_suite
from conformance.spec.operator import Operator
from conformance.values.errors import UsageError

X = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 4])


@cache
def operators() -> tuple[Operator, ...]:
    return load_suite(bundled_folder("cases"), ()).operators


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
    return cases_of_model(path, inputs or {}, operators())


def only_case(made: ModelCases) -> dict[str, Any]:
    assert (made.num_cases, made.left_out) == (1, {})
    (text,) = made.files.values()
    (case,) = yaml.safe_load(text)["cases"]
    assert isinstance(case, dict)
    return case


def test_parts_along_an_axis_are_ranges(tmp_path: Path) -> None:
    node = helper.make_node("Split", ["x", "lengths"], ["y", "rest"], axis=1)
    case = only_case(cases(tmp_path, node, constants={"lengths": [1, 3]}))
    assert case["versions"] == "==13"
    assert case["arguments"] == {"input": {"dtype": "float32", "shape": [2, 4]}, "split": [1, 3], "axis": 1}
    assert case["outputs"] == ["0:1", "1:4"]


def test_equal_parts_name_the_number_of_outputs(tmp_path: Path) -> None:
    case = only_case(cases(tmp_path, helper.make_node("Split", ["x"], ["y", "rest"], axis=1)))
    assert case["declared_outputs"] == 2


@pytest.mark.parametrize(
    ("node", "constants", "output"),
    [
        (
            helper.make_node("Transpose", ["x"], ["y"], perm=[1, 0]),
            {},
            {"block": {"start": 0, "shape": [4, 2], "strides": [1, 4]}},
        ),
        (
            helper.make_node("Concat", ["x", "x"], ["y"], axis=1),
            {},
            {
                "joined": [
                    {"start": 0, "shape": [2, 4], "strides": [4, 1]},
                    {"start": 8, "shape": [2, 4], "strides": [4, 1]},
                ],
                "along": 1,
            },
        ),
        (helper.make_node("Gather", ["x", "at"], ["y"], axis=1), {"at": [2, 0, 3]}, {"at": [[2, 0, 3], [6, 4, 7]]}),
        (
            helper.make_node("Gather", ["x", "at"], ["y"], axis=1),
            {"at": np.zeros(0, np.int64)},
            {"block": {"start": 0, "shape": [2, 0], "strides": [1, 1]}},
        ),
    ],
    ids=["permuted", "joined", "scattered", "empty"],
)
def test_outputs_have_the_shortest_form_that_says_them(
    node: onnx.NodeProto, constants: dict[str, Any], output: dict[str, Any], tmp_path: Path
) -> None:
    assert only_case(cases(tmp_path, node, constants=constants))["outputs"] == [output]


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
    assert dict(unknown.left_out) == {"onnx.Split-13: split is no constant: --inputs makes its value known": 1}
    inputs = {"x": np.zeros((3, 4), np.float32), "lengths": np.array([2, 2])}
    case = only_case(cases(tmp_path, node, graph_inputs=(X, lengths), inputs=inputs))
    assert case["arguments"] == {"input": {"dtype": "float32", "shape": [3, 4]}, "split": [2, 2], "axis": 1}


@pytest.mark.parametrize(
    ("node", "constants", "reason"),
    [
        (
            helper.make_node("Split", ["x", "lengths"], ["y", "rest"], axis=1),
            {"lengths": [1, 1]},
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
        (
            helper.make_node("Gather", ["table", "at"], ["y"]),
            {"table": np.zeros((2000, 2), np.float32), "at": np.random.default_rng(1).permutation(1024)},
            "onnx.Gather-13: an output of 2,048 elements has no short form",
        ),
    ],
    ids=["invalid", "unknown", "tensor-attribute", "many-elements"],
)
def test_a_node_that_no_case_can_be_made_of_is_left_out_with_its_reason(
    node: onnx.NodeProto, constants: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    made = cases(tmp_path, node, constants=constants)
    assert (made.num_nodes, made.left_out) == (1, {reason: 1})


def test_other_operators_and_domains_are_passed_over(tmp_path: Path) -> None:
    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Split", ["x"], ["a", "b"], domain="vendor")]
    made = cases(tmp_path, *nodes)
    assert (made.files, made.num_nodes) == ({}, 0)


def test_the_same_call_of_two_nodes_is_one_case(tmp_path: Path) -> None:
    nodes = [helper.make_node("Transpose", ["x"], [name], name=name) for name in ("y", "z")]
    made = cases(tmp_path, *nodes)
    assert (made.num_cases, made.num_nodes) == (1, 2)
    assert '# node "y", and 1 other node with the same call' in made.files["onnx.Transpose-13"]


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.onnx").write_text("no model")
    with pytest.raises(UsageError, match=r"text\.onnx"):
        cases_of_model(tmp_path / "text.onnx", {}, operators())


def test_a_node_of_a_domain_that_the_model_does_not_import_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"its types and shapes cannot be inferred: .*nobody"):
        cases(tmp_path, helper.make_node("Split", ["x"], ["y"], domain="nobody"))


def test_inputs_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    node = helper.make_node("Split", ["x"], ["y", "rest"], axis=1)
    with pytest.raises(UsageError, match="cannot be computed with these inputs"):
        cases(tmp_path, node, inputs={"nothing": np.zeros(2)})
