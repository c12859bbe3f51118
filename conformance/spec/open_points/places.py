"""The open points of Gather, ScatterND, Transpose, Concat and Pad."""

from __future__ import annotations

import math
from dataclasses import replace

from conformance.protocol.call import Attribute
from conformance.spec.broken_clause import Arguments, BrokenClauseError
from conformance.spec.open_points.point import (
    ALWAYS,
    OpenPoint,
    OpenPoints,
    Reading,
    as_computed,
    axis_of,
    broken,
    instead,
    is_empty_list,
    left_out,
    length_of_axis,
    rank_of,
    shape_of,
    whole_numbers,
    with_numbers,
)
from conformance.spec.references.pad import padded
from conformance.spec.references.signature import Reference, numbers_of
from conformance.tensors.tensor import Tensor, gathered, pack_integers, zero_of


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


GATHER_POINTS: OpenPoints = {
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


# ScatterND.


def _names_a_place_twice(arguments: Arguments, _: int) -> bool:
    import numpy as np

    data, indices = shape_of(arguments, "data"), shape_of(arguments, "indices")
    numbers = whole_numbers(arguments, "indices")
    if not numbers or not indices or indices[-1] > len(data):
        return False
    if shape_of(arguments, "updates")[: len(indices) - 1] != indices[:-1]:
        return False
    rows = np.array(numbers, np.int64).reshape(-1, indices[-1])
    places = np.where(rows < 0, rows + np.array(data[: indices[-1]], np.int64), rows)
    return len(np.unique(places, axis=0)) < len(places)


def _in_reverse(arguments: Arguments) -> dict[str, Tensor]:
    """The rows of indices and their updates, the last first."""
    indices, updates = arguments["indices"], arguments["updates"]
    assert isinstance(indices, Tensor)
    assert isinstance(updates, Tensor)
    backwards = (slice(None, None, -1),) * (len(indices.shape) - 1)
    return {
        name: gathered((tensor,), numbers_of(tensor)[backwards])
        for name, tensor in (("indices", indices), ("updates", updates))
    }


SCATTER_POINTS: OpenPoints = {
    "onnx.ScatterND": (
        OpenPoint("place-named-twice", ALWAYS, _names_a_place_twice).either(
            Reading("last", "The page names no error, and the loop that it shows may run in order.", as_computed),
            Reading("first", "The page names no error, and leaves the order of its loop open.", instead(_in_reverse)),
            Reading("forbidden", "Indices should not have duplicate entries.", broken("indices.unique")),
        ),
    ),
}


# Transpose.

TRANSPOSE_POINTS: OpenPoints = {
    "onnx.Transpose": (
        OpenPoint(
            "empty-order", ALWAYS, lambda given, _: is_empty_list(given, "perm") and rank_of(given, "data") != 0
        ).either(
            Reading(
                "not-of-the-rank",
                "The order must contain each dim once, and the empty one contains none.",
                broken("perm.length"),
            ),
            Reading(
                "left-out",
                "An attribute without entries says as much as one that is left out.",
                instead(lambda _: {"perm": None}),
            ),
        ),
    ),
}


# Concat.


def _shapes(arguments: Arguments) -> list[tuple[int, ...]]:
    return [value.shape for value in arguments.values() if isinstance(value, Tensor)]


def _with_missing_dims(arguments: Arguments) -> dict[str, Tensor]:
    """All tensors with as many dims, those in front of length 1."""
    rank = max(map(len, _shapes(arguments)))
    tensors = {name: value for name, value in arguments.items() if isinstance(value, Tensor)}
    return {name: replace(one, shape=(1,) * (rank - len(one.shape)) + one.shape) for name, one in tensors.items()}


CONCAT_POINTS: OpenPoints = {
    "onnx.Concat": (
        OpenPoint("other-ranks-before-11", range(11), lambda given, _: len(set(map(len, _shapes(given)))) > 1).either(
            Reading(
                "same-rank",
                "A tensor has one number of dims, and so have the tensors that are joined to it.",
                as_computed,
            ),
            Reading(
                "as-rows",
                "The page only speaks of a list of tensors, and a missing dim is one of length 1.",
                instead(_with_missing_dims),
            ),
        ),
        OpenPoint(
            "negative-axis-before-11",
            range(11),
            lambda given, _: any(-_rank(given) <= axis < 0 for axis in whole_numbers(given, "axis")),
        ).either(
            Reading(
                "from-front-only",
                "The page does not mention negative axes; the page of version 11 adds them.",
                broken("axis.range"),
            ),
            Reading(
                "from-end",
                "The page sets no lower bound.",
                instead(lambda given: {"axis": whole_numbers(given, "axis")[0] + _rank(given)}),
            ),
        ),
    ),
}


def _rank(arguments: Arguments) -> int:
    return len(shape_of(arguments, "inputs_0"))


# Pad.


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

PAD_POINTS: OpenPoints = {
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
