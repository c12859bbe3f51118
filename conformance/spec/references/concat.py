"""Concat."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.spec.broken_clause import Arguments, BrokenClauseError, one_integer
from conformance.spec.references.onnx_types import CLASSIC, FLOATS, WITH_BFLOAT16, typed
from conformance.spec.references.signature import Reference
from conformance.values.tensor import Tensor, gathered


def _onnx_concat(types: frozenset[str], *, default_axis: int | None, allows_negative: bool) -> Reference:
    def concat(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
        data = [typed(item, types) for item in _variadic(arguments, "inputs")]
        given = arguments.get("axis", default_axis)
        if given is None:
            raise BrokenClauseError("axis.required", "axis is missing")
        return (_joined(data, one_integer(given, "axis.type"), allows_negative=allows_negative),)

    return concat


def _openvino_concat_1(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
    data = _variadic(arguments, "inputs")
    if any(item.dtype in ("bool", "string") for item in data):
        raise BrokenClauseError("types.T", "the tensors must have a numeric type")
    if "axis" not in arguments:
        raise BrokenClauseError("axis.required", "axis is missing")
    return (_joined(data, one_integer(arguments["axis"], "axis.range"), allows_negative=True),)


def _variadic(arguments: Arguments, name: str) -> list[Tensor]:
    given = {
        int(key.removeprefix(f"{name}_")): value
        for key, value in arguments.items()
        if key.startswith(f"{name}_") and isinstance(value, Tensor)
    }
    if not given:
        raise BrokenClauseError(f"{name}.required", "no tensor is given")
    return [given[number] for number in sorted(given)]


def _joined(data: Sequence[Tensor], axis: int, *, allows_negative: bool) -> Tensor:
    import numpy as np

    rank = len(data[0].shape)
    if len({item.dtype for item in data}) > 1:
        raise BrokenClauseError("inputs.type", f"the types are {', '.join(item.dtype for item in data)}")
    if not rank or any(len(item.shape) != rank for item in data):
        raise BrokenClauseError("inputs.rank", f"the ranks are {', '.join(str(len(item.shape)) for item in data)}")
    # Pages before Concat-11 do not speak of negative axes: we read that an axis counts from the front.
    if not (-rank if allows_negative else 0) <= axis < rank:
        raise BrokenClauseError("axis.range", f"axis {axis} addresses no dim of tensors with rank {rank}")
    axis %= rank
    if len({item.shape[:axis] + item.shape[axis + 1 :] for item in data}) > 1:
        raise BrokenClauseError("inputs.shape", f"the shapes are {', '.join(str(item.shape) for item in data)}")
    starts = np.cumsum([0, *(item.size for item in data)])
    numbers = [
        np.arange(start, start + item.size).reshape(item.shape) for start, item in zip(starts, data, strict=False)
    ]
    return gathered(data, np.concatenate(numbers, axis))


REFERENCES: dict[str, Reference] = {
    "onnx.Concat-1": _onnx_concat(FLOATS, default_axis=1, allows_negative=False),
    "onnx.Concat-4": _onnx_concat(CLASSIC, default_axis=None, allows_negative=False),
    "onnx.Concat-11": _onnx_concat(CLASSIC, default_axis=None, allows_negative=True),
    "onnx.Concat-13": _onnx_concat(WITH_BFLOAT16, default_axis=None, allows_negative=True),
    "openvino.Concat-1": _openvino_concat_1,
}
