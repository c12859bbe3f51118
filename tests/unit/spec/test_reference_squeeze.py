from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.spec.broken_clause import BrokenClauseError
from conformance.spec.reference import evaluate
from conformance.tensors.tensor import Tensor, array_from_tensor, tensor_from_array

ATTRIBUTE, INPUT = ("1", "11"), ("13", "21", "23", "24", "25")


def t(values: Any, dtype: str = "int64") -> Tensor:
    return tensor_from_array(np.array(values, dtype))


def data(*shape: int, dtype: str = "float32") -> Tensor:
    return tensor_from_array(np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape))


def shape(operator: str, arguments: dict[str, Any]) -> tuple[int, ...]:
    (output,) = evaluate(operator, arguments, 1)
    return output.shape


def broken(operator: str, arguments: dict[str, Any]) -> str:
    with pytest.raises(BrokenClauseError) as caught:
        evaluate(operator, arguments, 1)
    return caught.value.clause


# ONNX Squeeze


@pytest.mark.parametrize("version", ATTRIBUTE)
def test_onnx_squeeze_removes_the_dims_of_an_attribute_before_13(version: str) -> None:
    assert shape(f"onnx.Squeeze-{version}", {"data": data(1, 3, 1, 5), "axes": [2, 0]}) == (3, 5)


@pytest.mark.parametrize("version", INPUT)
def test_onnx_squeeze_removes_the_dims_of_an_input_from_13_on(version: str) -> None:
    assert shape(f"onnx.Squeeze-{version}", {"data": data(1, 3, 1, 5), "axes": t([-2, 0])}) == (3, 5)


@pytest.mark.parametrize("version", ATTRIBUTE + INPUT)
def test_onnx_squeeze_without_axes_removes_each_dim_of_one(version: str) -> None:
    assert shape(f"onnx.Squeeze-{version}", {"data": data(1, 3, 1, 5)}) == (3, 5)


def test_squeezed_elements_keep_their_order() -> None:
    (output,) = evaluate("onnx.Squeeze-13", {"data": data(2, 1, 3), "axes": t([1])}, 1)
    assert array_from_tensor(output).tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    ("version", "axes", "clause"),
    [
        ("13", t([1]), "axes.length"),
        ("13", t([3]), "axes.range"),
        ("13", t([-4]), "axes.range"),
        ("13", t([2**32]), "axes.range"),
        ("13", t([0], "int32"), "types.axes"),
        ("13", t([[0]]), "axes.rank"),
        ("13", t(0), "axes.rank"),
        ("13", [0], "arguments"),
        ("11", t([0]), "arguments"),
        ("11", 0, "axes.type"),
        ("11", ["0"], "axes.type"),
        ("1", [-1], "axes.range"),
    ],
)
def test_onnx_squeeze_names_the_clause_that_axes_break(version: str, axes: Any, clause: str) -> None:
    assert broken(f"onnx.Squeeze-{version}", {"data": data(1, 3, 1), "axes": axes}) == clause


def test_onnx_squeeze_refuses_types_that_are_not_in_its_list() -> None:
    assert broken("onnx.Squeeze-11", {"data": Tensor("bfloat16", (1,), bytes(2))}) == "types.T"


# ONNX Unsqueeze


@pytest.mark.parametrize(
    ("axes", "expected"),
    [
        ([0, 4], (1, 3, 4, 5, 1)),
        ([4, 0], (1, 3, 4, 5, 1)),
        ([-1, -5], (1, 3, 4, 5, 1)),
        ([-2], (3, 4, 1, 5)),
        ([1, 2], (3, 1, 1, 4, 5)),
        ([], (3, 4, 5)),
    ],
)
def test_axes_of_unsqueeze_count_dims_of_the_output(axes: list[int], expected: tuple[int, ...]) -> None:
    assert shape("onnx.Unsqueeze-11", {"data": data(3, 4, 5), "axes": axes}) == expected
    assert shape("onnx.Unsqueeze-25", {"data": data(3, 4, 5), "axes": t(axes)}) == expected


@pytest.mark.parametrize(
    ("version", "axes", "clause"),
    [
        ("13", t([0, 0]), "axes.once"),
        ("13", t([0, -4]), "axes.once"),
        ("13", t([3]), "axes.range"),
        ("13", t([-4]), "axes.range"),
        ("13", t([[0]]), "axes.rank"),
        ("13", t([0], "int32"), "types.axes"),
        ("11", [0, 0], "axes.once"),
        ("1", [-1], "axes.range"),
    ],
)
def test_onnx_unsqueeze_names_the_clause_that_axes_break(version: str, axes: Any, clause: str) -> None:
    assert broken(f"onnx.Unsqueeze-{version}", {"data": data(2, 3), "axes": axes}) == clause


@pytest.mark.parametrize("version", ATTRIBUTE + INPUT)
def test_onnx_unsqueeze_needs_axes(version: str) -> None:
    assert broken(f"onnx.Unsqueeze-{version}", {"data": data(2, 3)}) == "axes.required"


# OpenVINO Squeeze and Unsqueeze


@pytest.mark.parametrize("operator", ["openvino.Squeeze-1", "openvino.Squeeze-15"])
@pytest.mark.parametrize(
    ("axes", "expected"),
    [
        ({"axes": t([0, 2])}, (3, 2)),
        ({"axes": t([-2])}, (1, 3, 2)),
        ({"axes": t(0, "uint8")}, (3, 1, 2)),
        ({"axes": t([0, 1])}, (3, 1, 2)),
        ({"axes": t([1])}, (1, 3, 1, 2)),
        ({"axes": t([0, 0, -4])}, (3, 1, 2)),
        ({"axes": t([], "int64")}, (3, 2)),
        ({}, (3, 2)),
    ],
)
def test_openvino_squeeze_removes_named_dims_of_one(
    operator: str, axes: dict[str, Tensor], expected: tuple[int, ...]
) -> None:
    assert shape(operator, {"data": data(1, 3, 1, 2), **axes}) == expected


@pytest.mark.parametrize(
    ("operator", "changes", "clause"),
    [
        ("openvino.Squeeze-1", {"axes": t([3])}, "axes.range"),
        ("openvino.Squeeze-1", {"axes": t([-4])}, "axes.range"),
        ("openvino.Squeeze-1", {"axes": t([[0]])}, "axes.rank"),
        ("openvino.Squeeze-1", {"axes": t([0], "float32")}, "types.T_INT"),
        ("openvino.Squeeze-1", {"axes": t([0], "bool")}, "types.T_INT"),
        ("openvino.Squeeze-1", {"allow_axis_skip": True}, "arguments"),
        ("openvino.Squeeze-15", {"allow_axis_skip": 1}, "allow_axis_skip.type"),
        ("openvino.Unsqueeze-1", {}, "axes.required"),
        ("openvino.Unsqueeze-1", {"axes": t([0, 0])}, "axes.once"),
        ("openvino.Unsqueeze-1", {"axes": t(4)}, "axes.range"),
    ],
)
def test_openvino_names_the_clause_that_arguments_break(operator: str, changes: dict[str, Any], clause: str) -> None:
    assert broken(operator, {"data": data(1, 3, 1), **changes}) == clause


def test_openvino_unsqueeze_inserts_dims_of_one() -> None:
    assert shape("openvino.Unsqueeze-1", {"data": data(2, 3), "axes": t([0, 3])}) == (1, 2, 3, 1)
    assert shape("openvino.Unsqueeze-1", {"data": data(), "axes": t(-1)}) == (1,)
