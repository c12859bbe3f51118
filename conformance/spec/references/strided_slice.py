"""StridedSlice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import EllipsisType

from conformance.spec.broken_clause import (
    Arguments,
    BrokenClauseError,
    input_list,
    refuse_surplus,
    required,
    tensor_named,
)
from conformance.spec.references.signature import Reference, numbers_of
from conformance.tensors.tensor import Tensor, gathered

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
    "openvino.StridedSlice-1": _openvino_strided_slice_1,
}
