"""Pad."""

from __future__ import annotations

from conformance.border.call import Attribute
from conformance.language.broken_clause import Arguments, BrokenClauseError
from conformance.language.open_points.point import (
    ALWAYS,
    OpenPoint,
    OpenPoints,
    Reading,
    as_computed,
    broken,
    instead,
    is_empty_list,
    left_out,
    shape_of,
    whole_numbers,
    with_numbers,
)
from conformance.language.references.pad import padded
from conformance.language.references.signature import Reference, numbers_of
from conformance.values.tensor import Tensor, gathered, zero_of


def _by_ends(arguments: Arguments) -> dict[str, list[int]]:
    """Paddings that list the numbers of each dim, in the order in which the text lists them."""
    pads = whole_numbers(arguments, "paddings")
    return {"paddings": pads[::2] + pads[1::2]}


def _has_another_order_by_dims(arguments: Arguments, _: int) -> bool:
    return _by_ends(arguments)["paddings"] != whole_numbers(arguments, "paddings")


def _pads_name(arguments: Arguments) -> str:
    return "pads" if "pads" in arguments else "paddings"


def _widths(arguments: Arguments) -> dict[int, tuple[int, int]]:
    """What is added before and behind each axis, counted from the front; nothing if the numbers do not fit."""
    pads, rank = whole_numbers(arguments, _pads_name(arguments)), len(shape_of(arguments, "data"))
    axes = whole_numbers(arguments, "axes") if "axes" in arguments else list(range(rank))
    if len(pads) != 2 * len(axes) or not all(-rank <= axis < rank for axis in axes):
        return {}
    pairs = zip(pads[: len(axes)], pads[len(axes) :], strict=True)
    return dict(zip((axis % rank for axis in axes), pairs, strict=True))


def _reflects(arguments: Arguments, _: int) -> bool:
    return arguments.get("mode") == "reflect" and any(max(pair) > 0 for pair in _widths(arguments).values())


def _reflects_beyond(arguments: Arguments, _: int) -> bool:
    shape = shape_of(arguments, "data")
    beyond = [max(pair) >= max(shape[axis], 1) for axis, pair in _widths(arguments).items()]
    return arguments.get("mode") == "reflect" and any(beyond)


def _mirrored_with_the_ends(reference: Reference, arguments: Arguments, declared_outputs: int) -> tuple[Tensor, ...]:
    """The mirror image repeats the first and the last element, as SciPy's mode of that name does."""
    reference(arguments, declared_outputs)
    data, widths = arguments["data"], _widths(arguments)
    assert isinstance(data, Tensor)
    pairs = [widths.get(dim, (0, 0)) for dim in range(len(data.shape))]
    return (padded(data, zero_of(data), "symmetric", pairs),)


def _adds_where_it_removes(arguments: Arguments, _: int) -> bool:
    """Whether elements are copied to one end of a dim, and removed from the other one."""
    mixed = any(min(pair) < 0 < max(pair) for pair in _widths(arguments).values())
    return arguments.get("mode", "constant") != "constant" and mixed


def _without_the_removed(arguments: Arguments) -> dict[str, Tensor | Attribute]:
    """The data without what is removed of it, and what is then added."""
    data, name = arguments["data"], _pads_name(arguments)
    assert isinstance(data, Tensor)
    kept = [slice(None)] * len(data.shape)
    for axis, (before, behind) in _widths(arguments).items():
        kept[axis] = slice(max(-before, 0), data.shape[axis] - max(-behind, 0))
    pads = [max(number, 0) for number in whole_numbers(arguments, name)]
    return {"data": gathered((data,), numbers_of(data)[tuple(kept)]), name: with_numbers(arguments[name], pads)}


def _mirrored_once(reference: Reference, arguments: Arguments, declared_outputs: int) -> tuple[Tensor, ...]:
    """The answer, unless more is mirrored than what is left after the removal."""
    changed = {**arguments, **_without_the_removed(arguments)}
    if _reflects_beyond(changed, declared_outputs):
        raise BrokenClauseError("mode.reflect", "there are fewer elements left than are mirrored")
    return reference(changed, declared_outputs)


_REMOVED_FIRST = "The numbers below 0 remove elements of the data, and what is left is padded."

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
        OpenPoint(
            "paddings-below-0-in-1", range(2), lambda given, _: any(pad < 0 for pad in whole_numbers(given, "paddings"))
        ).either(
            Reading(
                "not-allowed",
                "The paddings count the elements that are added, and there is no such number.",
                broken("pads.added"),
            ),
            Reading(
                "removing",
                "The page sets no lower bound, and adding fewer than no elements removes some.",
                as_computed,
            ),
        ),
        OpenPoint("no-pads-of-a-scalar", range(11), lambda given, _: is_empty_list(given, _pads_name(given))).either(
            Reading("no-dims", "A scalar has no dims, and there are two numbers for each.", as_computed),
            left_out("pads.required"),
        ),
        OpenPoint("ends-of-a-reflection-before-11", range(11), _reflects).either(
            Reading(
                "not-repeated", "NumPy's mode of that name does not repeat the first and the last element.", as_computed
            ),
            Reading(
                "repeated",
                "SciPy's mode of that name repeats them, and the page only names the mode.",
                _mirrored_with_the_ends,
            ),
        ),
        OpenPoint("reflected-beyond-the-dim", ALWAYS, _reflects_beyond).either(
            Reading("again", "The mode is similar to NumPy's, which mirrors the elements again.", as_computed),
            Reading("forbidden", "The page speaks of one mirror image at each end.", broken("mode.reflect")),
        ),
        OpenPoint("removed-where-others-are-copied", ALWAYS, _adds_where_it_removes).either(
            Reading("added-first", "The padding repeats elements of the data, before some are removed.", as_computed),
            Reading("removed-first", _REMOVED_FIRST, instead(_without_the_removed)),
            Reading("removed-first-and-mirrored-once", _REMOVED_FIRST, _mirrored_once),
        ),
    ),
}
