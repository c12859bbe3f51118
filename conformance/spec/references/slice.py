"""Slice."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.spec.broken_clause import (
    INTEGERS,
    Arguments,
    BrokenClauseError,
    refuse_surplus,
    tensor_named,
)
from conformance.spec.references.onnx_types import CLASSIC, WITH_BFLOAT16, typed
from conformance.spec.references.signature import Reference, numbers_of
from conformance.values.tensor import Tensor, gathered, unpack_integers


def _openvino_slice_8(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "start", "stop", "step", "axes"}, "arguments")
    data = tensor_named(arguments, "data", "data.required")
    start, stop, step = (_openvino_indices(arguments, name, "types.T_IND") for name in ("start", "stop", "step"))
    default = list(range(len(start)))
    axes = _openvino_indices(arguments, "axes", "types.T_AXIS") if "axes" in arguments else default
    if not data.shape:
        raise BrokenClauseError("data.rank", "the data is a scalar")
    return (_sliced(data, start, stop, axes, step),)


def _openvino_indices(arguments: Arguments, name: str, clause: str) -> list[int]:
    given = tensor_named(arguments, name, f"{name}.required")
    if given.dtype not in INTEGERS:
        raise BrokenClauseError(clause, f"{name} must be integers, not {given.dtype}")
    if len(given.shape) != 1:
        raise BrokenClauseError("indices.rank", f"{name} must be 1-D, not of shape {given.shape}")
    return unpack_integers(given)


def _onnx_slice_1(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "starts", "ends", "axes"}, "arguments")
    data = typed(tensor_named(arguments, "data", "data.required"), CLASSIC)
    starts, ends = (_onnx_list(arguments, name) for name in ("starts", "ends"))
    axes = _onnx_list(arguments, "axes") if "axes" in arguments else list(range(len(starts)))
    # The page does not speak of negative axes: we read that an axis counts from the front.
    _refuse_negative(axes)
    return (_sliced(data, starts, ends, axes, [1] * len(starts)),)


def _onnx_slice(types: frozenset[str], *, allows_negative_axes: bool) -> Reference:
    def slice_by_inputs(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
        refuse_surplus(arguments, {"data", "starts", "ends", "axes", "steps"}, "arguments")
        data = typed(tensor_named(arguments, "data", "data.required"), types)
        given = {name: _onnx_indices(arguments, name) for name in ("starts", "ends", "axes", "steps")}
        if len({value.dtype for name, value in arguments.items() if name in given and isinstance(value, Tensor)}) > 1:
            raise BrokenClauseError("types.Tind", "starts, ends, axes and steps have several types")
        starts, ends, axes, steps = given.values()
        if starts is None or ends is None:
            raise BrokenClauseError(f"{'starts' if starts is None else 'ends'}.required", "it is missing")
        axes = list(range(len(starts))) if axes is None else axes
        if not allows_negative_axes:
            _refuse_negative(axes)
        return (_sliced(data, starts, ends, axes, [1] * len(starts) if steps is None else steps),)

    return slice_by_inputs


def _onnx_list(arguments: Arguments, name: str) -> list[int]:
    if name not in arguments:
        raise BrokenClauseError(f"{name}.required", f"{name} is missing")
    given = arguments[name]
    if isinstance(given, Tensor):
        raise BrokenClauseError("arguments", f"{name} is an attribute in this version, not an input")
    if not isinstance(given, (list, tuple)) or not all(type(item) is int for item in given):
        raise BrokenClauseError("indices.type", f"{name} must be a list of whole numbers, not {given!r}")
    return [int(item) for item in given]


def _onnx_indices(arguments: Arguments, name: str) -> list[int] | None:
    given = arguments.get(name)
    if given is None:
        return None
    if not isinstance(given, Tensor):
        raise BrokenClauseError("arguments", f"{name} is an input in this version, not an attribute")
    if given.dtype not in ("int32", "int64"):
        raise BrokenClauseError("types.Tind", f"{name} must be int32 or int64, not {given.dtype}")
    if len(given.shape) != 1:
        raise BrokenClauseError("indices.rank", f"{name} must be 1-D, not of shape {given.shape}")
    return unpack_integers(given)


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
    "onnx.Slice-10": _onnx_slice(CLASSIC, allows_negative_axes=False),
    "onnx.Slice-11": _onnx_slice(CLASSIC, allows_negative_axes=True),
    "onnx.Slice-13": _onnx_slice(WITH_BFLOAT16, allows_negative_axes=True),
    "openvino.Slice-8": _openvino_slice_8,
}
