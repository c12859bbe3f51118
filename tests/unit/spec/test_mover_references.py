"""Operators that move elements, as their pages say; expectations are written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.spec.broken_clause import BrokenClauseError, UncoveredCallError
from conformance.spec.reference import evaluate
from conformance.tensors.tensor import Tensor, array_from_tensor, tensor_from_array


def t(values: Any, dtype: str = "int64") -> Tensor:
    return tensor_from_array(np.array(values, dtype))


SIX = t([[0, 1, 2], [3, 4, 5]], "float32")
LINE = t([0, 1, 2, 3, 4, 5], "float32")
SCALAR = t(7, "float32")
MASKS: dict[str, list[int]] = {"begin_mask": [], "end_mask": []}


def line(*bounds: int, names: tuple[str, ...] = ("begin", "end", "stride"), **more: Any) -> dict[str, Any]:
    return {"data": LINE, **{name: t([bound]) for name, bound in zip(names, bounds, strict=False)}, **more}


def strided(begin: list[int], end: list[int], stride: list[int], **masks: list[int]) -> dict[str, Any]:
    return {"data": SIX, "begin": t(begin), "end": t(end), "stride": t(stride), **MASKS, **masks}


TAKEN: list[tuple[str, dict[str, Any], Any]] = [
    ("onnx.Transpose-13", {"data": SIX}, [[0, 3], [1, 4], [2, 5]]),
    ("onnx.Transpose-13", {"data": SIX, "perm": [0, 1]}, [[0, 1, 2], [3, 4, 5]]),
    ("openvino.Transpose-1", {"arg": SIX, "input_order": t([1, 0])}, [[0, 3], [1, 4], [2, 5]]),
    ("openvino.Transpose-1", {"arg": SIX, "input_order": t([])}, [[0, 3], [1, 4], [2, 5]]),
    ("onnx.Concat-1", {"inputs_0": SIX, "inputs_1": t([[9], [8]], "float32")}, [[0, 1, 2, 9], [3, 4, 5, 8]]),
    ("onnx.Concat-13", {"inputs_0": LINE, "inputs_1": t([9], "float32"), "axis": -1}, [0, 1, 2, 3, 4, 5, 9]),
    ("openvino.Concat-1", {"inputs_0": SIX, "inputs_1": SIX, "axis": 0}, [[0, 1, 2], [3, 4, 5]] * 2),
    ("onnx.Gather-1", {"data": SIX, "indices": t([1])}, [[3, 4, 5]]),
    ("onnx.Gather-13", {"data": SIX, "indices": t([[-1], [0]]), "axis": 1}, [[[2], [0]], [[5], [3]]]),
    ("onnx.Gather-13", {"data": SIX, "indices": t(1, "int32")}, [3, 4, 5]),
    ("openvino.Gather-1", {"data": SIX, "indices": t([2, 0]), "axis": t(-1)}, [[2, 0], [5, 3]]),
    ("openvino.Gather-7", {"data": SIX, "indices": t([[2], [0]]), "axis": t(1), "batch_dims": 1}, [[2], [3]]),
    ("openvino.Gather-8", {"data": SIX, "indices": t([[2], [-3]]), "axis": t([1]), "batch_dims": -1}, [[2], [3]]),
    ("openvino.Gather-8", {"data": LINE, "indices": t([1, 6, -7]), "axis": t(0)}, [1, 0, 0]),
    ("onnx.Expand-8", {"input": t([[0], [1]], "float32"), "shape": t([2])}, [[0, 0], [1, 1]]),
    ("onnx.Expand-13", {"input": t([0, 1], "float32"), "shape": t([2, 1])}, [[0, 1], [0, 1]]),
    ("openvino.Broadcast-1", {"data": t([0, 1]), "target_shape": t([2, 2])}, [[0, 1], [0, 1]]),
    (
        "openvino.Broadcast-1",
        {"data": t([0, 1]), "target_shape": t([2, 2]), "axes_mapping": t([0]), "mode": "explicit"},
        [[0, 0], [1, 1]],
    ),
    ("openvino.Broadcast-3", {"data": t([[0], [1]]), "target_shape": t([1]), "mode": "bidirectional"}, [[0], [1]]),
    ("onnx.Pad-1", {"data": t([5, 6], "float32"), "paddings": [1, 1], "value": 2.5}, [2.5, 5, 6, 2.5]),
    ("onnx.Pad-2", {"data": t([5, 6, 7], "float32"), "pads": [1, 0], "mode": "edge"}, [5, 5, 6, 7]),
    ("onnx.Pad-13", {"data": t([5, 6, 7]), "pads": t([1, 2]), "mode": "reflect"}, [6, 5, 6, 7, 6, 5]),
    ("onnx.Pad-19", {"data": t([[5, 6]]), "pads": t([0, 3]), "axes": t([-1]), "mode": "wrap"}, [[5, 6, 5, 6, 5]]),
    ("onnx.ScatterND-11", {"data": t([5, 6, 7]), "indices": t([[-1]]), "updates": t([9])}, [5, 6, 9]),
    (
        "onnx.ScatterND-18",
        {"data": SIX, "indices": t([[1]]), "updates": t([[9, 8, 7]], "float32")},
        [[0, 1, 2], [9, 8, 7]],
    ),
    ("openvino.ScatterNDUpdate-3", {"data": t([5, 6]), "indices": t([1]), "updates": t([9])}, [5, 9]),
    ("openvino.ScatterNDUpdate-15", {"data": t([5, 6]), "indices": t([[-2]]), "updates": t([9])}, [9, 6]),
    ("onnx.Slice-1", {"data": LINE, "starts": [1], "ends": [3]}, [1, 2]),
    ("onnx.Slice-1", {"data": SIX, "starts": [-2], "ends": [1000], "axes": [1]}, [[1, 2], [4, 5]]),
    (
        "onnx.Slice-10",
        {"data": LINE, "starts": t([0]), "ends": t([2**63 - 1]), "steps": t([4]), "axes": t([0])},
        [0, 4],
    ),
    (
        "onnx.Slice-13",
        {"data": LINE, "starts": t([-1]), "ends": t([-(2**63)]), "steps": t([-2]), "axes": t([-1])},
        [5, 3, 1],
    ),
    ("openvino.Slice-8", line(4, 0, -3, names=("start", "stop", "step")), [4, 1]),
    ("openvino.Slice-8", line(1, 3, 1, 0, names=("start", "stop", "step", "axes")), [1, 2]),
    ("openvino.StridedSlice-1", strided([0, 1], [2, 3], [1, 1]), [[1, 2], [4, 5]]),
    ("openvino.StridedSlice-1", strided([1, 1], [1, 2], [1, 1], begin_mask=[1, 0], end_mask=[1]), [[1], [4]]),
    ("openvino.StridedSlice-1", strided([-1, 1], [0, 1], [1, 1], shrink_axis_mask=[1, 1]), 4),
    ("openvino.StridedSlice-1", strided([0, 1], [0, 2], [1, 1], ellipsis_mask=[1]), [[1], [4]]),
    ("openvino.StridedSlice-1", strided([0], [0], [1], new_axis_mask=[1]), [[[0, 1, 2], [3, 4, 5]]]),
    ("openvino.StridedSlice-1", {"data": LINE, "begin": t([4]), "end": t([6]), **MASKS}, [4, 5]),
]

FORBIDDEN: list[tuple[str, dict[str, Any], str]] = [
    ("onnx.Transpose-13", {"data": SIX, "perm": t([1, 0])}, "arguments"),
    ("onnx.Transpose-13", {"data": SIX, "perm": 1}, "perm.type"),
    ("onnx.Transpose-13", {"data": SIX, "perm": [0]}, "perm.length"),
    ("onnx.Transpose-13", {"data": SIX, "perm": [0, 2]}, "perm.range"),
    ("onnx.Transpose-13", {"data": SIX, "perm": [0, 0]}, "perm.once"),
    ("openvino.Transpose-1", {"arg": SIX, "input_order": t([1, 0], "float32")}, "types.T_AXIS"),
    ("openvino.Transpose-1", {"arg": SIX, "input_order": t([[1, 0]])}, "input_order.rank"),
    ("openvino.Transpose-1", {"arg": SIX, "input_order": t([0])}, "input_order.length"),
    ("openvino.Transpose-1", {"arg": SIX, "input_order": t([0, 0])}, "input_order.once"),
    ("onnx.Concat-13", {"axis": 0}, "inputs.required"),
    ("onnx.Concat-13", {"inputs_0": SIX}, "axis.required"),
    ("onnx.Concat-13", {"inputs_0": SIX, "inputs_1": t([[1]]), "axis": 0}, "inputs.type"),
    ("onnx.Concat-13", {"inputs_0": SIX, "inputs_1": LINE, "axis": 0}, "inputs.rank"),
    ("onnx.Concat-13", {"inputs_0": SIX, "inputs_1": t([[1]], "float32"), "axis": 0}, "inputs.shape"),
    ("onnx.Concat-4", {"inputs_0": SIX, "axis": -1}, "axis.range"),
    ("openvino.Concat-1", {"inputs_0": t([True], "bool"), "axis": 0}, "types.T"),
    ("openvino.Concat-1", {"inputs_0": SIX}, "axis.required"),
    ("onnx.Gather-13", {"data": SIX, "indices": t([0], "uint8")}, "types.Tind"),
    ("onnx.Gather-13", {"data": SCALAR, "indices": t([0])}, "data.rank"),
    ("onnx.Gather-13", {"data": SIX, "indices": t([0]), "axis": t(0)}, "arguments"),
    ("onnx.Gather-13", {"data": SIX, "indices": t([0]), "axis": 2}, "axis.range"),
    ("onnx.Gather-13", {"data": SIX, "indices": t([2])}, "indices.range"),
    ("onnx.Gather-1", {"data": SIX, "indices": t([-1])}, "indices.range"),
    ("openvino.Gather-7", {"data": SIX, "indices": t([2]), "axis": t(0)}, "indices.range"),
    ("openvino.Gather-8", {"data": SIX, "indices": t([0], "float32"), "axis": t(0)}, "types.T_IND"),
    ("openvino.Gather-8", {"data": SIX, "indices": t([0]), "axis": t(0, "float32")}, "types.T_AXIS"),
    ("openvino.Gather-8", {"data": SIX, "indices": t([0]), "axis": t([0, 1])}, "axis.shape"),
    ("openvino.Gather-8", {"data": SIX, "indices": t([0]), "axis": t(1), "batch_dims": 2}, "batch_dims.range"),
    ("openvino.Gather-8", {"data": SIX, "indices": t([[0], [0]]), "axis": t(0), "batch_dims": 1}, "batch_dims.axis"),
    ("openvino.Gather-8", {"data": SIX, "indices": t([[0]]), "axis": t(1), "batch_dims": 1}, "batch_dims.equal"),
    ("onnx.Expand-13", {"input": SIX, "shape": t([2], "int32")}, "shape.type"),
    ("onnx.Expand-13", {"input": SIX, "shape": t([[3]])}, "shape.rank"),
    ("onnx.Expand-13", {"input": SIX, "shape": t([2])}, "dims.equal"),
    ("openvino.Broadcast-1", {"data": SIX, "target_shape": t([3])}, "numpy.dims"),
    ("openvino.Broadcast-1", {"data": SIX, "target_shape": t([3]), "mode": "bidirectional"}, "mode.range"),
    ("openvino.Broadcast-3", {"data": SIX, "target_shape": t([2]), "mode": "bidirectional"}, "bidirectional.dims"),
    ("openvino.Broadcast-3", {"data": SIX, "target_shape": t([3]), "axes_mapping": t([0])}, "axes_mapping.other_modes"),
    ("openvino.Broadcast-3", {"data": t(True, "bool"), "target_shape": t([3])}, "types.T"),
    ("onnx.Pad-18", {"data": SIX, "pads": t([0, 1, 0, 0]), "mode": "wrap"}, "mode.range"),
    ("onnx.Pad-18", {"data": SIX, "pads": t([1, 0])}, "pads.number"),
    ("onnx.Pad-18", {"data": LINE, "pads": t([1, 0]), "constant_value": t(1)}, "constant_value.type"),
    ("onnx.ScatterND-13", {"data": t([5]), "indices": t([[1]]), "updates": t([9])}, "indices.range"),
    ("onnx.ScatterND-13", {"data": t([5]), "indices": t([[0, 0]]), "updates": t([9])}, "indices.depth"),
    ("onnx.ScatterND-13", {"data": t([5]), "indices": t([[0]]), "updates": t([[9]])}, "updates.shape"),
    ("openvino.ScatterNDUpdate-3", {"data": t([5]), "indices": t([[-1]]), "updates": t([9])}, "indices.range"),
    ("onnx.Slice-1", {"data": LINE, "ends": [3]}, "starts.required"),
    ("onnx.Slice-1", {"data": LINE, "starts": t([1]), "ends": [3]}, "arguments"),
    ("onnx.Slice-1", {"data": LINE, "starts": [1.5], "ends": [3]}, "indices.type"),
    ("onnx.Slice-1", {"data": LINE, "starts": [1], "ends": [3], "axes": [-1]}, "axes.range"),
    ("onnx.Slice-10", {"data": LINE, "starts": t([1]), "ends": t([3]), "axes": t([-1])}, "axes.range"),
    ("onnx.Slice-13", {"data": LINE, "starts": [1], "ends": t([3])}, "arguments"),
    ("onnx.Slice-13", {"data": LINE, "starts": t([1], "uint8"), "ends": t([3])}, "types.Tind"),
    ("onnx.Slice-13", {"data": LINE, "starts": t([1], "int32"), "ends": t([3])}, "types.Tind"),
    ("onnx.Slice-13", {"data": LINE, "starts": t(1), "ends": t([3])}, "indices.rank"),
    ("onnx.Slice-13", {"data": LINE, "starts": t([1])}, "ends.required"),
    ("onnx.Slice-13", {"data": LINE, "starts": t([1]), "ends": t([3, 4])}, "indices.number"),
    ("onnx.Slice-13", {"data": LINE, "starts": t([1]), "ends": t([3]), "axes": t([1])}, "axes.range"),
    ("onnx.Slice-13", {"data": LINE, "starts": t([1]), "ends": t([3]), "steps": t([0]), "axes": t([0])}, "steps.zero"),
    ("onnx.Slice-13", {"data": SIX, "starts": t([0, 0]), "ends": t([1, 1]), "axes": t([1, -1])}, "axes.unique"),
    ("openvino.Slice-8", {**line(1, 3, 1, names=("start", "stop", "step")), "data": SCALAR}, "data.rank"),
    ("openvino.Slice-8", line(1, 3, 1, names=("start", "stop", "step"), axes=t([0], "float32")), "types.T_AXIS"),
    ("openvino.Slice-8", line(1, 3, 1, names=("start", "stop", "step"), axes=t(0)), "indices.rank"),
    ("openvino.StridedSlice-1", {"data": SIX, "begin": t([0]), "end": t([1]), "begin_mask": []}, "end_mask.required"),
    ("openvino.StridedSlice-1", strided([0], [1], [0]), "stride.zero"),
    ("openvino.StridedSlice-1", strided([0], [1, 1], [1]), "indices.number"),
    ("openvino.StridedSlice-1", strided([0] * 3, [1] * 3, [1] * 3), "indices.number"),
    ("openvino.StridedSlice-1", strided([0], [1], [1], shrink_axis_mask=[2]), "masks.values"),
    ("openvino.StridedSlice-1", strided([2], [2], [1], shrink_axis_mask=[1]), "shrink_axis_mask.removes"),
    ("openvino.StridedSlice-1", strided([0, 0], [1, 1], [1, 1], ellipsis_mask=[1, 1]), "ellipsis_mask.once"),
    ("openvino.StridedSlice-1", {**strided([0], [1], [1]), "begin": t([0], "float32")}, "types.T_IND"),
    ("openvino.StridedSlice-1", {**strided([0], [1], [1]), "begin": t(0)}, "indices.rank"),
]


@pytest.mark.parametrize(("operator", "arguments", "expected"), TAKEN)
def test_elements_come_from_where_the_page_says(operator: str, arguments: dict[str, Any], expected: Any) -> None:
    (output,) = evaluate(operator, arguments, 1)
    assert array_from_tensor(output).tolist() == expected


@pytest.mark.parametrize(("operator", "arguments", "clause"), FORBIDDEN)
def test_what_the_page_forbids_is_refused_by_its_clause(operator: str, arguments: dict[str, Any], clause: str) -> None:
    with pytest.raises(BrokenClauseError) as caught:
        evaluate(operator, arguments, 1)
    assert caught.value.clause == clause


def test_a_reduction_that_computes_is_outside() -> None:
    given: dict[str, Any] = {"data": t([5]), "indices": t([[0]]), "updates": t([9]), "reduction": "add"}
    with pytest.raises(UncoveredCallError, match="the reduction add computes"):
        evaluate("onnx.ScatterND-16", given, 1)


LONG = (1 << 32) + 6
EMPTY = Tensor("string", (LONG, 0), b"")
"""Data without elements, whose outer dim is longer than any memory."""


@pytest.mark.parametrize(
    ("operator", "arguments", "shape"),
    [
        ("onnx.Gather-13", {"data": EMPTY, "indices": t([LONG - 1, -1, 0])}, (3, 0)),
        ("onnx.Pad-18", {"data": EMPTY, "pads": t([-4, 0, -2, 0])}, (LONG - 6, 0)),
        ("onnx.Expand-13", {"input": EMPTY, "shape": t([2, 1, 1])}, (2, LONG, 0)),
        ("onnx.Split-18", {"input": EMPTY, "num_outputs": 1, "axis": 1}, (LONG, 0)),
        ("onnx.Split-18", {"input": EMPTY, "num_outputs": 1}, (LONG, 0)),
    ],
)
def test_a_long_dim_beside_no_elements_takes_no_memory(
    operator: str, arguments: dict[str, Any], shape: tuple[int, ...]
) -> None:
    (output,) = evaluate(operator, arguments, 1)
    assert (output.shape, output.data) == (shape, b"")


@pytest.mark.parametrize(
    ("operator", "arguments"),
    [
        ("onnx.Pad-18", {"data": Tensor("float32", (1 << 20, 0), b""), "pads": t([0, 0, 0, 1 << 20])}),
        ("onnx.Expand-13", {"input": LINE, "shape": t([1 << 31, 1])}),
        ("onnx.Expand-13", {"input": t([], "float32"), "shape": t([1 << 40, 1 << 40, 1])}),
        ("openvino.Broadcast-1", {"data": LINE, "target_shape": t([1 << 31, 6])}),
        ("onnx.Gather-13", {"data": Tensor("uint8", (1, 1 << 16), bytes(1 << 16)), "indices": t([0] * (1 << 15))}),
    ],
)
def test_an_output_beyond_any_memory_is_not_made(operator: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(UncoveredCallError, match="is not made"):
        evaluate(operator, arguments, 1)
