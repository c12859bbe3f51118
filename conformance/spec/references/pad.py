"""Pad."""

from __future__ import annotations

from functools import partial

from conformance.spec.broken_clause import (
    Arguments,
    BrokenClauseError,
    UncoveredCallError,
    attribute_list,
    axis_from_front,
    input_list,
    refuse_surplus,
    tensor_named,
)
from conformance.spec.references.signature import FLOATS, Reference, numbers_of, refuse_unheld, typed, types_of
from conformance.tensors.tensor import Tensor, gathered, scalar_of, zero_of

_NUMERIC = types_of(1) - {"bool", "complex64", "complex128", "string"}
_TYPES = {1: FLOATS, 2: FLOATS, 11: _NUMERIC, **dict.fromkeys((13, 18, 19), types_of(13))}
_TYPES |= {version: types_of(version) for version in (21, 23, 24, 25)}


def _onnx_pad(arguments: Arguments, _: int, *, version: int) -> tuple[Tensor, ...]:
    pads_name, value_name = "paddings" if version == 1 else "pads", "value" if version < 11 else "constant_value"
    refuse_surplus(arguments, {"data", pads_name, value_name, "mode", *(["axes"] if version >= 18 else [])})
    data = typed(tensor_named(arguments, "data", "data.required"), _TYPES[version])
    if pads_name not in arguments:
        raise BrokenClauseError("pads.required", f"{pads_name} is missing")
    if version < 11:
        pads = attribute_list(arguments[pads_name], pads_name, "pads.type")
    else:
        given = tensor_named(arguments, "pads", "arguments")
        pads = input_list(given, "pads", "pads.type", "pads.rank", types=("int64",))
    mode, axes = arguments.get("mode", "constant"), _axes(arguments, len(data.shape))
    if mode not in ("constant", "reflect", "edge", *(["wrap"] if version >= 19 else [])):
        raise BrokenClauseError("mode.range", f"the mode is {mode!r}")
    if len(pads) != 2 * len(axes):
        raise BrokenClauseError("pads.number", f"{len(pads)} numbers for {len(axes)} axes")
    if len(set(axes)) < len(axes):
        raise UncoveredCallError("the page says that naming an axis twice is undefined")
    widths = dict(zip(axes, zip(pads[: len(axes)], pads[len(axes) :], strict=True), strict=True))
    pairs = [widths.get(dim, (0, 0)) for dim in range(len(data.shape))]
    if any(length + min(pair) < 0 or length + sum(pair) < 0 for length, pair in zip(data.shape, pairs, strict=True)):
        raise UncoveredCallError("what the page means by removing more than there is, is open")
    return (padded(data, _value(arguments, data), str(mode), pairs),)


def _axes(arguments: Arguments, rank: int) -> list[int]:
    if "axes" not in arguments:
        return list(range(rank))
    given = tensor_named(arguments, "axes", "arguments")
    axes = input_list(given, "axes", "axes.type", "axes.type", types=("int32", "int64"))
    return [axis_from_front(axis, rank, "axes.range", "dim of data with rank") for axis in axes]


def _value(arguments: Arguments, data: Tensor) -> Tensor:
    value = arguments.get("constant_value")
    if isinstance(value, Tensor):
        if value.dtype != data.dtype:
            raise BrokenClauseError("constant_value.type", f"the value is {value.dtype}, the data {data.dtype}")
        if not value.size:
            raise UncoveredCallError("the page does not speak of a value without elements")
        return value
    if "value" not in arguments:
        return zero_of(data)
    try:
        return scalar_of(arguments["value"], data.dtype)
    except ValueError as error:
        raise BrokenClauseError("value.type", str(error)) from None


def padded(data: Tensor, value: Tensor, mode: str, widths: list[tuple[int, int]]) -> Tensor:
    """The data with elements added before and behind each dim, and then removed where a number is below 0."""
    import numpy as np

    added = [(max(before, 0), max(behind, 0)) for before, behind in widths]
    refuse_unheld([length + sum(width) for length, width in zip(data.shape, added, strict=True)])
    numbers = numbers_of(data)
    if widths and mode == "constant":
        numbers = np.pad(numbers, added, constant_values=data.size)
    elif widths:
        try:
            numbers = np.pad(numbers, added, mode=mode)  # type: ignore[call-overload]
        except ValueError as error:
            raise BrokenClauseError(f"mode.{mode}", str(error)) from None
    kept = tuple(
        slice(max(-before, 0), length - max(-behind, 0))
        for (before, behind), length in zip(widths, numbers.shape, strict=True)
    )
    return gathered((data, value), numbers[kept])


REFERENCES: dict[str, Reference] = {
    f"onnx.Pad-{version}": partial(_onnx_pad, version=version) for version in (1, 2, 11, 13, 18, 19, 21, 23, 24, 25)
}
