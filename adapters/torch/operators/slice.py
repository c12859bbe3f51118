"""Slice, as ranges in brackets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from conformance.adapter import Call, NotExpressible
from conformance.tensors.dtypes import DTYPES, Category

from .arguments import (
    ALL,
    ALL_BUT_BFLOAT16,
    attribute,
    constant_list,
    list_or_none,
    refuse_other_types,
    refuse_surplus,
)
from .expression import Brackets, Expression, TensorAt

_ONNX_TYPES: Mapping[str, frozenset[str]] = {
    "onnx.Slice-1": ALL_BUT_BFLOAT16,
    "onnx.Slice-10": ALL_BUT_BFLOAT16,
    "onnx.Slice-11": ALL_BUT_BFLOAT16,
    "onnx.Slice-13": ALL,
}
_COUNTS_FROM_FRONT = ("onnx.Slice-1", "onnx.Slice-10")
"""Versions whose axes are not counted from the end."""
_ONNX_RANGES = ("starts", "ends", "axes", "steps")
_OPENVINO_RANGES = ("start", "stop", "axes", "step")


def slice_(call: Call) -> Expression:
    """A tensor with ranges in brackets.

    Raises:
        NotExpressible: brackets have no place for an argument, or accept what the operator forbids.
    """
    is_onnx = call.dialect == "onnx"
    names = _ONNX_RANGES if is_onnx else _OPENVINO_RANGES
    by_attributes = call.operator == "onnx.Slice-1"
    refuse_surplus(
        call,
        "Tensor.__getitem__",
        inputs=("data",) if by_attributes else ("data", *names),
        attributes=names[:3] if by_attributes else (),
    )
    data = call.input("data")
    if data is None:
        raise NotExpressible("brackets stand behind a tensor, and the call has none")
    if is_onnx:
        refuse_other_types(call, [data], _ONNX_TYPES[call.operator])
    starts, ends, axes, steps = (
        [list_or_none(name, attribute(call, name)) for name in names] if by_attributes else _inputs(call, names)
    )
    if starts is None or ends is None:
        raise NotExpressible("brackets take an end that is left out for the end of the dim, and the operator needs it")
    if steps is None and not is_onnx:
        raise NotExpressible("brackets take a step that is left out for 1, and the operator needs it")
    axes = list(range(len(starts))) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    return Expression(
        operator="slice_ranges",
        function="Tensor.__getitem__",
        tensors=(data,),
        arguments=(TensorAt(position=0), _brackets(call.operator, starts, ends, axes, steps)),
        require=None if is_onnx else _require(axes),
    )


def _inputs(call: Call, names: Sequence[str]) -> list[list[object] | None]:
    given = [call.input(name) for name in names]
    types = {item.dtype for item in given if item is not None}
    for dtype in sorted(types):
        is_integer = DTYPES[dtype].category in (Category.SIGNED, Category.UNSIGNED)
        if call.dialect == "onnx" and is_integer and (dtype not in ("int32", "int64") or len(types) > 1):
            raise NotExpressible(
                f"ranges in brackets are Python numbers, which have no type {', '.join(sorted(types))}"
            )
    return [constant_list(item) for item in given]


def _brackets(
    operator: str, starts: Sequence[object], ends: Sequence[object], axes: Sequence[object], steps: Sequence[object]
) -> Brackets:
    if len({len(starts), len(ends), len(axes), len(steps)}) > 1:
        raise NotExpressible(
            "each range in brackets has an axis, a start, an end and a step: their numbers cannot differ"
        )
    ranges: dict[int, object] = {}
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        if type(axis) is not int or axis in ranges:
            raise NotExpressible(f"brackets have one place for each axis: none for {axis!r}, or not twice")
        if axis < 0 and operator in _COUNTS_FROM_FRONT:
            raise NotExpressible("brackets can count axes from the end, and the operator has no such axis")
        if isinstance(step, int) and step < 0:
            raise NotExpressible("PyTorch has no ranges that run backwards")
        ranges[axis] = slice(start, end, step)
    return Brackets.along(ranges)


def _require(axes: Sequence[object]) -> Callable[[Sequence[tuple[int, ...]]], None]:
    def require(shapes: Sequence[tuple[int, ...]]) -> None:
        """Raises `NotExpressible` for a scalar without a range, which PyTorch accepts."""
        if not shapes[0] and not axes:
            raise NotExpressible("PyTorch accepts empty brackets behind a scalar, and the operator has no scalars")

    return require
