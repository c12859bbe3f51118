from __future__ import annotations

import pytest

from conformance.spec.making.call import classes_of, classes_of_operator
from conformance.spec.operator import Operator
from conformance.suite.case_file import families_from_document
from conformance.suite.operator_file import operators_from_document
from conformance.suite.suite import bundled_folder
from conformance.suite.yaml_file import document_from_bytes, read_document

FLOATS = "{dtype: float32, shape: [2, 3, 4]}"


def operator(family: str) -> Operator:
    path = bundled_folder("cases").joinpath(*family.split("."), "operator.yaml")
    return operators_from_document(read_document(path, "operator.yaml"))[-1]


def classes(family: str, arguments: str) -> set[str]:
    """The classes of a call, as `axis: from the end`."""
    text = f"""operator: {family}
cases:
  - id: a
    clauses: [outputs.values]
    arguments: {{{arguments}}}
    declared_outputs: 1
    outputs: law
"""
    (written,) = families_from_document(document_from_bytes(text.encode(), "cases.yaml"), [operator(family)])
    found = classes_of(next(written.cases()))
    assert found <= set(classes_of_operator(operator(family)))
    return {f"{kind}: {name}" for kind, name in found}


@pytest.mark.parametrize(
    ("family", "arguments", "having", "lacking"),
    [
        (
            "openvino.Gather",
            f"data: {FLOATS}, indices: {{dtype: int8, values: [[1, -1, 0]]}}, axis: -1",
            {"axis: last", "axis: from the end", "axis: int64", "indices: int8", "indices: unsorted",
             "indices: from both ends", "indices: rank above 1", "data: rank 2 to 4"},
            {"axis: first", "indices: sorted", "indices: repeated", "indices: beyond 24 bits", "data: equal dims"},
        ),
        (
            "onnx.Gather",
            "data: {dtype: uint8, shape: [16777223]}, indices: {dtype: int64, values: 16777217}",
            {"axis: left out", "indices: scalar", "indices: beyond 24 bits", "data: more than 2^24 elements"},
            {"axis: first", "indices: beyond 31 bits", "indices: int32"},
        ),
        (
            "onnx.Transpose",
            "data: {dtype: float32, shape: [3, 3, 3]}, perm: [1, 2, 0]",
            {"data: equal dims", "permutation: not its own inverse", "data: an odd number"},
            {"permutation: reversed", "permutation: in order", "data: dims of 1"},
        ),
        (
            "onnx.Transpose",
            "data: {dtype: int4, shape: [1, 2]}, perm: [1, 0]",
            {"permutation: reversed", "data: less than a byte", "data: dims of 1"},
            {"permutation: not its own inverse", "permutation: left out"},
        ),
        (
            "onnx.Concat",
            "axis: 0, inputs: [{dtype: string, shape: [0]}, {dtype: string, shape: [2]}, {dtype: string, shape: [0]}]",
            {"inputs: 3 to 16", "inputs: an empty one first", "inputs: an empty one last", "inputs: unequal",
             "data: no elements", "data: strings"},
            {"inputs: an empty one inside", "inputs: two", "data: scalar"},
        ),
        (
            "onnx.Slice",
            f"data: {FLOATS}, starts: [0, -3], ends: [2, 99], axes: [2, 0], steps: [1, 2]",
            {"bounds: from both ends", "axes: reversed", "steps: one", "steps: more than one"},
            {"steps: back by one", "axes: sorted", "axes: left out"},
        ),
        (
            "onnx.Reshape",
            f"data: {FLOATS}, shape: [0, -1], allowzero: 0",
            {"shape: zero and inferred", "flag: off", "shape: int64"},
            {"shape: none", "flag: on", "flag: left out"},
        ),
        (
            "openvino.VariadicSplit",
            f"data: {FLOATS}, axis: {{dtype: int32, values: [1]}}, split_lengths: [0, 3, 0]",
            {"axis: inner", "axis: a list of one", "lengths: zero first", "lengths: zero last", "lengths: unequal"},
            {"lengths: zero inside", "lengths: the rest", "lengths: one"},
        ),
        (
            "openvino.StridedSlice",
            f"data: {FLOATS}, begin: [0], end: [0], begin_mask: [1], end_mask: [1], new_axis_mask: [0]",
            {"mask: all", "mask: unset", "mask: left out", "steps: left out"},
            {"mask: some", "mask: none"},
        ),
    ],
)  # fmt: skip
def test_a_call_has_the_classes_of_its_arguments(
    family: str, arguments: str, having: set[str], lacking: set[str]
) -> None:
    found = classes(family, arguments)
    assert having - found == set()
    assert lacking & found == set()


def test_an_operator_has_the_types_of_its_own_arguments_alone() -> None:
    assert ("indices", "int8") in classes_of_operator(operator("openvino.Gather"))
    assert ("indices", "int8") not in classes_of_operator(operator("onnx.Gather"))
    assert not [name for kind, name in classes_of_operator(operator("onnx.Transpose")) if kind == "axis"]
