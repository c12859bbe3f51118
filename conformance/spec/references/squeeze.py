"""Squeeze and Unsqueeze."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from conformance.spec.broken_clause import (
    INTEGERS,
    Arguments,
    BrokenClauseError,
    refuse_surplus,
    tensor_named,
)
from conformance.spec.references.onnx_types import (
    CLASSIC,
    WITH_BFLOAT16,
    WITH_FLOAT4,
    WITH_FLOAT8,
    WITH_FLOAT8_E8M0,
    WITH_INT2,
    typed,
)
from conformance.spec.references.signature import Reference, numbers_of
from conformance.values.tensor import Tensor, gathered, unpack_integers

_Axes: TypeAlias = Callable[[Arguments], "list[int] | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Onnx:
    """What differs between the versions of both operators."""

    types: frozenset[str]
    axes: _Axes
    counts_from_end: bool = True


def _attribute(arguments: Arguments) -> list[int] | None:
    given = arguments.get("axes")
    if given is None:
        return None
    if isinstance(given, Tensor):
        raise BrokenClauseError("arguments", "axes is an attribute, not an input")
    if not isinstance(given, (list, tuple)) or not all(type(axis) is int for axis in given):
        raise BrokenClauseError("axes.type", f"axes must be a list of whole numbers, not {given!r}")
    return [axis for axis in given if isinstance(axis, int)]


def _input(arguments: Arguments) -> list[int] | None:
    given = arguments.get("axes")
    if given is None:
        return None
    if not isinstance(given, Tensor):
        raise BrokenClauseError("arguments", "axes is an input, not an attribute")
    if given.dtype != "int64":
        raise BrokenClauseError("types.axes", f"axes must be int64, not {given.dtype}")
    if len(given.shape) != 1:
        raise BrokenClauseError("axes.rank", f"axes must be 1-D, not of shape {given.shape}")
    return unpack_integers(given)


def _onnx_squeeze(version: _Onnx) -> Reference:
    def squeeze(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
        refuse_surplus(arguments, {"data", "axes"}, "arguments")
        data = typed(tensor_named(arguments, "data", "data.required"), version.types)
        axes = version.axes(arguments)
        if axes is None:
            return (_squeezed(data, _dims_of_one(data)),)
        # No page mentions a dim that is named twice: we read that naming it again says nothing new.
        removed = {_in_range(axis, len(data.shape), counts_from_end=version.counts_from_end) for axis in axes}
        for axis in removed:
            if data.shape[axis] != 1:
                raise BrokenClauseError("axes.length", f"axis {axis} has the length {data.shape[axis]}")
        return (_squeezed(data, removed),)

    return squeeze


def _onnx_unsqueeze(version: _Onnx) -> Reference:
    def unsqueeze(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
        refuse_surplus(arguments, {"data", "axes"}, "arguments")
        data = typed(tensor_named(arguments, "data", "data.required"), version.types)
        axes = version.axes(arguments)
        if axes is None:
            raise BrokenClauseError("axes.required", "axes is missing")
        return (_unsqueezed(data, axes, counts_from_end=version.counts_from_end),)

    return unsqueeze


def _openvino_squeeze(known: set[str]) -> Reference:
    def squeeze(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
        refuse_surplus(arguments, known, "arguments")
        data = tensor_named(arguments, "data", "data.required")
        skip = arguments.get("allow_axis_skip", False)
        if not isinstance(skip, bool):
            raise BrokenClauseError("allow_axis_skip.type", f"allow_axis_skip must be true or false, not {skip!r}")
        axes = _openvino_axes(tensor_named(arguments, "axes", "arguments")) if "axes" in arguments else []
        named = {_in_range(axis, len(data.shape), counts_from_end=True) for axis in axes}
        return (_squeezed(data, _dims_of_one(data) & (named or set(range(len(data.shape))))),)

    return squeeze


def _openvino_unsqueeze_1(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "axes"}, "arguments")
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
    if not (-rank if counts_from_end else 0) <= axis < rank:
        raise BrokenClauseError("axes.range", f"axis {axis} addresses no dim of {rank}")
    return axis % rank


def _dims_of_one(data: Tensor) -> set[int]:
    return {axis for axis, length in enumerate(data.shape) if length == 1}


def _squeezed(data: Tensor, removed: set[int]) -> Tensor:
    return _reshaped(data, [length for axis, length in enumerate(data.shape) if axis not in removed])


def _unsqueezed(data: Tensor, axes: Sequence[int], *, counts_from_end: bool) -> Tensor:
    rank = len(data.shape) + len(axes)
    inserted = {_in_range(axis, rank, counts_from_end=counts_from_end) for axis in axes}
    if len(inserted) < len(axes):
        raise BrokenClauseError("axes.once", f"axes is {list(axes)}, which names a dim twice")
    lengths = iter(data.shape)
    return _reshaped(data, [1 if axis in inserted else next(lengths) for axis in range(rank)])


def _reshaped(data: Tensor, shape: Sequence[int]) -> Tensor:
    return gathered((data,), numbers_of(data).reshape(shape))


_ONNX = {
    1: _Onnx(types=CLASSIC, axes=_attribute, counts_from_end=False),
    11: _Onnx(types=CLASSIC, axes=_attribute),
    13: _Onnx(types=WITH_BFLOAT16, axes=_input),
    21: _Onnx(types=WITH_FLOAT8, axes=_input),
    23: _Onnx(types=WITH_FLOAT4, axes=_input),
    24: _Onnx(types=WITH_FLOAT8_E8M0, axes=_input),
    25: _Onnx(types=WITH_INT2, axes=_input),
}
REFERENCES: dict[str, Reference] = {
    **{f"onnx.Squeeze-{number}": _onnx_squeeze(version) for number, version in _ONNX.items()},
    **{f"onnx.Unsqueeze-{number}": _onnx_unsqueeze(version) for number, version in _ONNX.items()},
    "openvino.Squeeze-1": _openvino_squeeze({"data", "axes"}),
    "openvino.Squeeze-15": _openvino_squeeze({"data", "axes", "allow_axis_skip"}),
    "openvino.Unsqueeze-1": _openvino_unsqueeze_1,
}
