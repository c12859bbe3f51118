"""Slice and StridedSlice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from types import EllipsisType

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

# Slice.


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


# StridedSlice.

_REQUIRED_MASKS = ("begin_mask", "end_mask")
_MASKS = (*_REQUIRED_MASKS, "new_axis_mask", "shrink_axis_mask", "ellipsis_mask")


def _openvino_strided_slice_1(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "begin", "end", "stride", *_MASKS})
    data = tensor_named(arguments, "data", "data.required")
    begin, end = (_indices(arguments, name) for name in ("begin", "end"))
    stride = _indices(arguments, "stride") if "stride" in arguments else [1] * len(begin)
    if len({len(begin), len(end), len(stride)}) > 1:
        raise BrokenClauseError("indices.number", f"{len(begin)}, {len(end)} and {len(stride)} are given")
    if 0 in stride:
        raise BrokenClauseError("stride.zero", f"the strides are {stride}")
    masks = {name: _mask(arguments, name) for name in _MASKS}
    if sum(masks["ellipsis_mask"]) > 1:
        raise BrokenClauseError("ellipsis_mask.once", f"ellipsis_mask is {masks['ellipsis_mask']}")
    index = tuple(_steps(begin, end, stride, masks))
    if sum(isinstance(step, (int, slice)) for step in index) > len(data.shape):
        raise BrokenClauseError("indices.number", f"{len(begin)} steps, and the data has {len(data.shape)} dims")
    try:
        return (gathered((data,), numbers_of(data)[index]),)
    except IndexError as error:
        raise BrokenClauseError("shrink_axis_mask.removes", str(error)) from None


def _steps(
    begin: Sequence[int], end: Sequence[int], stride: Sequence[int], masks: dict[str, list[int]]
) -> Iterator[int | slice | EllipsisType | None]:
    """What each step is in brackets in Python."""
    for number, bounds in enumerate(zip(begin, end, stride, strict=True)):
        first, last, every = bounds
        takes = {name: number < len(bits) and bool(bits[number]) for name, bits in masks.items()}
        if takes["ellipsis_mask"]:
            yield Ellipsis
        elif takes["new_axis_mask"]:
            yield None
        elif takes["shrink_axis_mask"]:
            yield first
        else:
            yield slice(None if takes["begin_mask"] else first, None if takes["end_mask"] else last, every)


def _indices(arguments: Arguments, name: str) -> list[int]:
    return input_list(tensor_named(arguments, name, f"{name}.required"), name, "types.T_IND", "indices.rank")


def _mask(arguments: Arguments, name: str) -> list[int]:
    given = required(arguments, name) if name in _REQUIRED_MASKS else arguments.get(name, [])
    if not isinstance(given, (list, tuple)) or not all(type(bit) is int and bit in (0, 1) for bit in given):
        raise BrokenClauseError("masks.values", f"{name} must be a list of zeros and ones, not {given!r}")
    return [int(bit) for bit in given]


REFERENCES: dict[str, Reference] = {
    "onnx.Slice-1": _onnx_slice_1,
    **{f"onnx.Slice-{version}": partial(_onnx_slice, version=version) for version in (10, 11, 13)},
    "openvino.Slice-8": _openvino_slice_8,
    "openvino.StridedSlice-1": _openvino_strided_slice_1,
}
