"""Gather."""

from __future__ import annotations

import math

from conformance.language.broken_clause import Arguments, BrokenClauseError
from conformance.language.open_points.point import (
    ALWAYS,
    OpenPoint,
    OpenPoints,
    Reading,
    axis_of,
    broken,
    instead,
    length_of_axis,
    shape_of,
    whole_numbers,
)
from conformance.language.references.signature import Reference
from conformance.values.tensor import Tensor, pack_integers


def _length(arguments: Arguments) -> int:
    return length_of_axis(arguments, "data")


def _is_beyond_nothing(arguments: Arguments, _: int) -> bool:
    """Whether an index is outside the axis, and the data has no elements."""
    length = _length(arguments)
    outside = any(not -length <= index < length for index in whole_numbers(arguments, "indices"))
    return outside and math.prod(shape_of(arguments, "data")) == 0 and bool(shape_of(arguments, "data"))


def _has_negative_indices(arguments: Arguments, _: int) -> bool:
    return any(-_length(arguments) <= index < 0 for index in whole_numbers(arguments, "indices"))


def _from_front(arguments: Arguments) -> dict[str, Tensor]:
    """The indices, counted from the front, in a type that holds them."""
    length, given = _length(arguments), arguments["indices"]
    assert isinstance(given, Tensor)
    numbers = [index + length if -length <= index < 0 else index for index in whole_numbers(arguments, "indices")]
    return {"indices": pack_integers(numbers, "int64", given.shape)}


def _of_nothing(_: Reference, arguments: Arguments, __: int) -> tuple[Tensor, ...]:
    """The output without elements; if its shape has elements, there is nothing to take them from."""
    data, shape = arguments["data"], shape_of(arguments, "data")
    assert isinstance(data, Tensor)
    axis = axis_of(arguments) % len(shape)
    taken = (*shape[:axis], *shape_of(arguments, "indices"), *shape[axis + 1 :])
    if math.prod(taken):
        raise BrokenClauseError("indices.range", "there is no element to take")
    return (Tensor(data.dtype, taken, b""),)


OPEN_POINTS: OpenPoints = {
    "onnx.Gather": (
        OpenPoint("index-beyond-the-axis-without-elements", ALWAYS, _is_beyond_nothing).either(
            Reading(
                "beyond-the-bounds",
                "An index beyond the bounds is an error, whatever the other dims are.",
                broken("indices.range"),
            ),
            Reading("nothing-to-take", "The bounds are about what is taken, and there is no element.", _of_nothing),
        ),
        OpenPoint("negative-index-of-1", range(11), _has_negative_indices).either(
            Reading(
                "from-front-only",
                "The page does not mention indices below 0; the page of version 11 adds them.",
                broken("indices.range"),
            ),
            Reading(
                "from-end",
                "The page names no lower bound, and that of version 11 calls its own a clarification.",
                instead(_from_front),
            ),
        ),
    ),
}
