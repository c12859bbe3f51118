"""Slice."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from conformance.spec.broken_clause import (
    Arguments,
    BrokenClauseError,
    attribute,
    attribute_list,
    input_list,
    refuse_surplus,
    required,
    tensor_named,
)
from conformance.spec.references.signature import Reference, numbers_of, typed_data
from conformance.tensors.tensor import Tensor, gathered


def _openvino_slice_8(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "start", "stop", "step", "axes"})
    data = tensor_named(arguments, "data", "data.required")
    start, stop, step = (_openvino_indices(arguments, name, "types.T_IND") for name in ("start", "stop", "step"))
    default = list(range(len(start)))
    axes = _openvino_indices(arguments, "axes", "types.T_AXIS") if "axes" in arguments else default
    if not data.shape:
        raise BrokenClauseError("data.rank", "the data is a scalar")
    return (_sliced(data, start, stop, axes, step),)


def _openvino_indices(arguments: Arguments, name: str, clause: str) -> list[int]:
    return input_list(tensor_named(arguments, name, f"{name}.required"), name, clause, "indices.rank")


def _onnx_slice_1(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "starts", "ends", "axes"})
    data = typed_data(arguments, 1)
    starts, ends = (_onnx_list(arguments, name) for name in ("starts", "ends"))
    axes = _onnx_list(arguments, "axes") if "axes" in arguments else list(range(len(starts)))
    # The page does not speak of negative axes: we read that an axis counts from the front.
    _refuse_negative(axes)
    return (_sliced(data, starts, ends, axes, [1] * len(starts)),)


def _onnx_slice(arguments: Arguments, _: int, *, version: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "starts", "ends", "axes", "steps"})
    data = typed_data(arguments, version)
    given = {name: _onnx_indices(arguments, name) for name in ("starts", "ends", "axes", "steps")}
    if len({value.dtype for name, value in arguments.items() if name in given and isinstance(value, Tensor)}) > 1:
        raise BrokenClauseError("types.Tind", "starts, ends, axes and steps have several types")
    starts, ends, axes, steps = given.values()
    if starts is None or ends is None:
        raise BrokenClauseError(f"{'starts' if starts is None else 'ends'}.required", "it is missing")
    axes = list(range(len(starts))) if axes is None else axes
    if version < 11:
        _refuse_negative(axes)
    return (_sliced(data, starts, ends, axes, [1] * len(starts) if steps is None else steps),)


def _onnx_list(arguments: Arguments, name: str) -> list[int]:
    required(arguments, name)
    return attribute_list(attribute(arguments, name), name, "indices.type")


def _onnx_indices(arguments: Arguments, name: str) -> list[int] | None:
    if name not in arguments:
        return None
    return input_list(
        tensor_named(arguments, name, "arguments"), name, "types.Tind", "indices.rank", ("int32", "int64")
    )


def _refuse_negative(axes: Sequence[int]) -> None:
    if any(axis < 0 for axis in axes):
        raise BrokenClauseError("axes.range", f"the axes are {list(axes)}, and one is negative")


def _sliced(
    data: Tensor, starts: Sequence[int], ends: Sequence[int], axes: Sequence[int], steps: Sequence[int]
) -> Tensor:
    rank = len(data.shape)
    if len({len(starts), len(ends), len(steps), len(axes)}) > 1:
        numbers = f"{len(starts)} starts, {len(ends)} ends, {len(axes)} axes and {len(steps)} steps"
        raise BrokenClauseError("indices.number", f"{numbers} are given")
    if 0 in steps:
        raise BrokenClauseError("steps.zero", f"the steps are {list(steps)}")
    if not all(-rank <= axis < rank for axis in axes):
        raise BrokenClauseError("axes.range", f"the axes are {list(axes)}, the rank is {rank}")
    if len({axis % rank for axis in axes}) < len(axes):
        raise BrokenClauseError("axes.unique", f"the axes are {list(axes)}")
    ranges = [slice(None)] * rank
    for axis, *bounds in zip(axes, starts, ends, steps, strict=True):
        ranges[axis] = slice(*bounds)
    return gathered((data,), numbers_of(data)[tuple(ranges)])


REFERENCES: dict[str, Reference] = {
    "onnx.Slice-1": _onnx_slice_1,
    **{f"onnx.Slice-{version}": partial(_onnx_slice, version=version) for version in (10, 11, 13)},
    "openvino.Slice-8": _openvino_slice_8,
}
