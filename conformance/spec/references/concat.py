"""Concat."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from conformance.spec.broken_clause import Arguments, BrokenClauseError, axis_from_front, one_integer, required
from conformance.spec.references.signature import FLOATS, Reference, typed, types_of
from conformance.tensors.tensor import Tensor, gathered


def _onnx_concat(arguments: Arguments, _: int, *, version: int) -> tuple[Tensor, ...]:
    types = FLOATS if version == 1 else types_of(version)
    data = [typed(item, types) for item in _variadic(arguments, "inputs")]
    axis = arguments.get("axis", 1) if version == 1 else required(arguments, "axis")
    # Pages before Concat-11 do not speak of negative axes: we read that an axis counts from the front.
    return (_joined(data, one_integer(axis, "axis.type"), allows_negative=version >= 11),)


def _openvino_concat_1(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
    data = _variadic(arguments, "inputs")
    if any(item.dtype in ("bool", "string") for item in data):
        raise BrokenClauseError("types.T", "the tensors must have a numeric type")
    return (_joined(data, one_integer(required(arguments, "axis"), "axis.range"), allows_negative=True),)


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
    axis = axis_from_front(axis, rank, "axis.range", "dim of tensors with rank", allows_negative=allows_negative)
    if len({item.shape[:axis] + item.shape[axis + 1 :] for item in data}) > 1:
        raise BrokenClauseError("inputs.shape", f"the shapes are {', '.join(str(item.shape) for item in data)}")
    starts = np.cumsum([0, *(item.size for item in data)])
    numbers = [
        np.arange(start, start + item.size).reshape(item.shape) for start, item in zip(starts, data, strict=False)
    ]
    return gathered(data, np.concatenate(numbers, axis))


REFERENCES: dict[str, Reference] = {
    **{f"onnx.Concat-{version}": partial(_onnx_concat, version=version) for version in (1, 4, 11, 13)},
    "openvino.Concat-1": _openvino_concat_1,
}
