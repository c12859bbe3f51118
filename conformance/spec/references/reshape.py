"""Reshape, Squeeze and Unsqueeze."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from conformance.spec.broken_clause import (
    Arguments,
    BrokenClauseError,
    attribute,
    attribute_list,
    axis_from_front,
    input_list,
    one_integer,
    refuse_surplus,
    required,
    tensor_named,
)
from conformance.spec.references.signature import FLOATS, Reference, numbers_of, typed, typed_data
from conformance.tensors.dtypes import INTEGERS
from conformance.tensors.tensor import Tensor, gathered, unpack_integers

# Reshape.


def _onnx_reshape_1(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "shape", "consumed_inputs"})
    data = typed(tensor_named(arguments, "data", "data.required"), FLOATS)
    # The page does not mark the attribute as required: we read that without it the shape is the empty one.
    return (
        _reshaped(data, attribute_list(attribute(arguments, "shape", []), "shape", "shape.type"), copies_zero=True),
    )


def _onnx_reshape(arguments: Arguments, _: int, *, version: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "shape"} | ({"allowzero"} if version >= 14 else set()))
    data = typed_data(arguments, version)
    shape = tensor_named(arguments, "shape", "shape.required")
    if shape.dtype != "int64":
        raise BrokenClauseError("shape.type", f"shape must be int64, not {shape.dtype}")
    allowzero = one_integer(attribute(arguments, "allowzero", 0), "allowzero.type")
    if len(shape.shape) != 1:
        raise BrokenClauseError("shape.rank", f"shape must be 1-D, not of shape {shape.shape}")
    lengths = unpack_integers(shape)
    if allowzero and 0 in lengths and -1 in lengths:
        raise BrokenClauseError("allowzero.minus_one", f"shape is {lengths}, with both a 0 and a -1")
    return (_reshaped(data, lengths, copies_zero=not allowzero),)


def _openvino_reshape_1(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "shape", "special_zero"})
    data = tensor_named(arguments, "data", "data.required")
    shape = tensor_named(arguments, "shape", "shape.required")
    copies_zero = required(arguments, "special_zero")
    if not isinstance(copies_zero, bool):
        raise BrokenClauseError("special_zero.type", f"special_zero is a truth value, not {copies_zero!r}")
    if data.dtype in ("bool", "string"):
        raise BrokenClauseError("types.T", f"{data.dtype} is no numeric type")
    lengths = input_list(shape, "shape", "types.T_SHAPE", "shape.rank")
    return (_reshaped(data, lengths, copies_zero=copies_zero),)


def _reshaped(data: Tensor, lengths: Sequence[int], *, copies_zero: bool) -> Tensor:
    if min(lengths, default=0) < -1:
        raise BrokenClauseError("shape.range", f"shape is {list(lengths)}, and no length is below -1")
    if lengths.count(-1) > 1:
        raise BrokenClauseError("shape.minus_one", f"shape is {list(lengths)}, with more than one -1")
    found = list(lengths)
    for dim, length in enumerate(lengths):
        if length == 0 and copies_zero:
            if dim >= len(data.shape):
                raise BrokenClauseError("shape.zero", f"dim {dim} is 0, and the data has {len(data.shape)} dims")
            found[dim] = data.shape[dim]
    if -1 in lengths:
        others = math.prod(length for length in found if length != -1)
        # Beside a dim of length 0 any length keeps the number of elements: we read that it cannot be computed.
        if others == 0 or data.size % others:
            raise BrokenClauseError("shape.count", f"{data.size} elements do not fill the shape {found}")
        found[lengths.index(-1)] = data.size // others
    if math.prod(found) != data.size:
        raise BrokenClauseError("shape.count", f"{data.size} elements do not fill the shape {found}")
    return replace(data, shape=tuple(found))


# Squeeze and Unsqueeze.


def _onnx_axes(arguments: Arguments, version: int) -> list[int] | None:
    """The axes: an attribute before version 13, then an input."""
    if "axes" not in arguments:
        return None
    if version < 13:
        return attribute_list(attribute(arguments, "axes"), "axes", "axes.type")
    return input_list(tensor_named(arguments, "axes", "arguments"), "axes", "types.axes", "axes.rank", ("int64",))


def _onnx_squeeze(arguments: Arguments, _: int, *, version: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "axes"})
    data, axes = typed_data(arguments, version), _onnx_axes(arguments, version)
    if axes is None:
        return (_squeezed(data, _dims_of_one(data)),)
    # No page mentions a dim that is named twice: we read that naming it again says nothing new.
    removed = {_in_range(axis, len(data.shape), counts_from_end=version > 1) for axis in axes}
    for axis in removed:
        if data.shape[axis] != 1:
            raise BrokenClauseError("axes.length", f"axis {axis} has the length {data.shape[axis]}")
    return (_squeezed(data, removed),)


def _onnx_unsqueeze(arguments: Arguments, _: int, *, version: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "axes"})
    data, axes = typed_data(arguments, version), _onnx_axes(arguments, version)
    if axes is None:
        raise BrokenClauseError("axes.required", "axes is missing")
    return (_unsqueezed(data, axes, counts_from_end=version > 1),)


def _openvino_squeeze(arguments: Arguments, _: int, *, known: set[str]) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, known)
    data = tensor_named(arguments, "data", "data.required")
    skip = arguments.get("allow_axis_skip", False)
    if not isinstance(skip, bool):
        raise BrokenClauseError("allow_axis_skip.type", f"allow_axis_skip must be true or false, not {skip!r}")
    axes = _openvino_axes(tensor_named(arguments, "axes", "arguments")) if "axes" in arguments else []
    named = {_in_range(axis, len(data.shape), counts_from_end=True) for axis in axes}
    return (_squeezed(data, _dims_of_one(data) & (named or set(range(len(data.shape))))),)


def _openvino_unsqueeze_1(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "axes"})
    data = tensor_named(arguments, "data", "data.required")
    axes = _openvino_axes(tensor_named(arguments, "axes", "axes.required"))
    return (_unsqueezed(data, axes, counts_from_end=True),)


def _openvino_axes(given: Tensor) -> list[int]:
    if given.dtype not in INTEGERS:
        raise BrokenClauseError("types.T_INT", f"axes must be integers, not {given.dtype}")
    if len(given.shape) > 1:
        raise BrokenClauseError("axes.rank", f"axes must be a scalar or 1-D, not of shape {given.shape}")
    return unpack_integers(given)


def _in_range(axis: int, rank: int, *, counts_from_end: bool) -> int:
    """The axis, counted from the front."""
    return axis_from_front(axis, rank, "axes.range", "dim of", allows_negative=counts_from_end)


def _dims_of_one(data: Tensor) -> set[int]:
    return {axis for axis, length in enumerate(data.shape) if length == 1}


def _squeezed(data: Tensor, removed: set[int]) -> Tensor:
    return _with_shape(data, [length for axis, length in enumerate(data.shape) if axis not in removed])


def _unsqueezed(data: Tensor, axes: Sequence[int], *, counts_from_end: bool) -> Tensor:
    rank = len(data.shape) + len(axes)
    inserted = {_in_range(axis, rank, counts_from_end=counts_from_end) for axis in axes}
    if len(inserted) < len(axes):
        raise BrokenClauseError("axes.once", f"axes is {list(axes)}, which names a dim twice")
    lengths = iter(data.shape)
    return _with_shape(data, [1 if axis in inserted else next(lengths) for axis in range(rank)])


def _with_shape(data: Tensor, shape: Sequence[int]) -> Tensor:
    return gathered((data,), numbers_of(data).reshape(shape))


_ONNX_VERSIONS = (1, 11, 13, 21, 23, 24, 25)
REFERENCES: dict[str, Reference] = {
    "onnx.Reshape-1": _onnx_reshape_1,
    **{
        f"onnx.Reshape-{version}": partial(_onnx_reshape, version=version)
        for version in (5, 13, 14, 19, 21, 23, 24, 25)
    },
    "openvino.Reshape-1": _openvino_reshape_1,
    **{f"onnx.Squeeze-{number}": partial(_onnx_squeeze, version=number) for number in _ONNX_VERSIONS},
    **{f"onnx.Unsqueeze-{number}": partial(_onnx_unsqueeze, version=number) for number in _ONNX_VERSIONS},
    "openvino.Squeeze-1": partial(_openvino_squeeze, known={"data", "axes"}),
    "openvino.Squeeze-15": partial(_openvino_squeeze, known={"data", "axes", "allow_axis_skip"}),
    "openvino.Unsqueeze-1": _openvino_unsqueeze_1,
}
