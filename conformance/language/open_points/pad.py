"""Pad."""

from __future__ import annotations

from conformance.language.broken_clause import Arguments
from conformance.language.open_points.point import (
    ALWAYS,
    OpenPoint,
    OpenPoints,
    Reading,
    as_computed,
    broken,
    instead,
    shape_of,
    whole_numbers,
)


def _by_ends(arguments: Arguments) -> dict[str, list[int]]:
    """Paddings that list the numbers of each dim, in the order in which the text lists them."""
    pads = whole_numbers(arguments, "paddings")
    return {"paddings": pads[::2] + pads[1::2]}


def _reflects_beyond(arguments: Arguments, _: int) -> bool:
    pads, shape = whole_numbers(arguments, "pads") or whole_numbers(arguments, "paddings"), shape_of(arguments, "data")
    axes = whole_numbers(arguments, "axes") if "axes" in arguments else list(range(len(shape)))
    if arguments.get("mode") != "reflect" or len(pads) != 2 * len(axes):
        return False
    rank, both = len(shape), zip(axes * 2, pads, strict=True)
    return any(-rank <= axis < rank and pad >= max(shape[axis], 1) for axis, pad in both)


def _has_another_order_by_dims(arguments: Arguments, _: int) -> bool:
    return _by_ends(arguments)["paddings"] != whole_numbers(arguments, "paddings")


OPEN_POINTS: OpenPoints = {
    "onnx.Pad": (
        OpenPoint("order-of-paddings", range(2), _has_another_order_by_dims).either(
            Reading("by-ends", "The text lists what is before each dim, and then what is behind each.", as_computed),
            Reading(
                "by-dims",
                "The example pads the second dim, so it lists the two numbers of each dim.",
                instead(_by_ends),
            ),
        ),
        OpenPoint("reflected-beyond-the-dim", ALWAYS, _reflects_beyond).either(
            Reading("again", "The mode is similar to NumPy's, which mirrors the elements again.", as_computed),
            Reading("forbidden", "The page speaks of one mirror image at each end.", broken("mode.reflect")),
        ),
    ),
}
