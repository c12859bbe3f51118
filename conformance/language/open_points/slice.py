"""Slice."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.border.call import Attribute
from conformance.language.broken_clause import Arguments
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
from conformance.values.dtypes import DTYPES
from conformance.values.tensor import Tensor


def _ranges(arguments: Arguments) -> Iterator[tuple[int, int, int, int]]:
    """Start, end, step, and length of the axis, for each axis that addresses a dim."""
    shape = shape_of(arguments, "data")
    starts, ends = whole_numbers(arguments, "starts"), whole_numbers(arguments, "ends")
    axes = whole_numbers(arguments, "axes") if "axes" in arguments else range(len(starts))
    steps = whole_numbers(arguments, "steps") if "steps" in arguments else [1] * len(starts)
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=False):
        yield start, end, step, shape[axis] if -len(shape) <= axis < len(shape) else 0


def _bounds_before_the_dim(arguments: Arguments) -> Iterator[tuple[str, int, int]]:
    """Name, number and step of each start and end that is before the first element."""
    for start, end, step, length in _ranges(arguments):
        yield from ((name, bound, step) for name, bound in (("starts", start), ("ends", end)) if bound < -length)


def _is_named_begin(name: str, bound: int, step: int) -> bool:
    """Whether a bound is INT_MIN as an end backwards, of which pages from version 11 on speak; they name no width."""
    return name == "ends" and step < 0 and bound in (DTYPES["int32"].integers.start, DTYPES["int64"].integers.start)


def _is_before_the_begin(start: int, end: int, step: int, length: int) -> bool:
    """Whether a backward range begins and ends before the first element."""
    return step < 0 < length and start < -length and end < -length


def _from_the_first(arguments: Arguments) -> dict[str, Tensor | Attribute]:
    """The start of each such range is the first element."""
    starts = [
        -length if _is_before_the_begin(start, end, step, length) else start
        for start, end, step, length in _ranges(arguments)
    ]
    return {"starts": with_numbers(arguments["starts"], starts)}


def _has_fewer_starts_than_dims(arguments: Arguments, _: int) -> bool:
    starts = whole_numbers(arguments, "starts")
    return "axes" not in arguments and len(starts) < len(shape_of(arguments, "data"))


def _axes_from_front(arguments: Arguments) -> dict[str, Tensor | Attribute]:
    rank = len(shape_of(arguments, "data"))
    axes = [axis + rank if -rank <= axis < 0 else axis for axis in whole_numbers(arguments, "axes")]
    return {"axes": with_numbers(arguments["axes"], axes)}


_BEFORE_THE_DIM = (
    Reading("clamped", "The operator is similar to NumPy, which takes the begin for what is before it.", as_computed),
    Reading(
        "no-such-element",
        "The page speaks of a number that is larger than the dim, and of none that is before it.",
        broken("indices.clamped_below"),
    ),
)

OPEN_POINTS: OpenPoints = {
    "onnx.Slice": (
        OpenPoint(
            "before-the-dim-before-11", range(11), lambda given, _: any(True for _ in _bounds_before_the_dim(given))
        ).either(*_BEFORE_THE_DIM),
        OpenPoint(
            "before-the-dim-of-11",
            range(11, 13),
            lambda given, _: not all(_is_named_begin(*one) for one in _bounds_before_the_dim(given)),
        ).either(*_BEFORE_THE_DIM),
        OpenPoint("no-starts-of-1", range(10), lambda given, _: is_empty_list(given, "starts")).either(
            Reading("nothing-sliced", "The starts are given, and they name no dim.", as_computed),
            left_out("starts.required"),
        ),
        OpenPoint(
            "backwards-from-before-the-begin",
            range(10, len(ALWAYS)),
            lambda given, _: any(_is_before_the_begin(*one) for one in _ranges(given)),
        ).either(
            Reading(
                "nothing",
                "The operator is similar to NumPy, whose slice begins before the first element and holds nothing.",
                as_computed,
            ),
            Reading(
                "the-first",
                "The start is clamped to 0 and the end to -1, so that the element 0 lies between them.",
                instead(_from_the_first),
            ),
        ),
        OpenPoint("fewer-starts-than-dims", ALWAYS, _has_fewer_starts_than_dims).either(
            Reading(
                "leading-dims",
                (
                    "There are as many axes as starts, says the description of the axes in version 1, and they begin "
                    "with 0."
                ),
                as_computed,
            ),
            Reading(
                "all-dims",
                "The default of the axes has an entry for each dim, and there are fewer starts.",
                broken("indices.number"),
            ),
        ),
        OpenPoint(
            "axis-from-the-end-before-11",
            range(11),
            lambda given, _: any(axis < 0 for axis in whole_numbers(given, "axes")),
        ).either(
            Reading(
                "no-dim", "The page speaks of negative starts and ends, and not of negative axes.", broken("axes.range")
            ),
            Reading(
                "from-the-end",
                "The operator is similar to NumPy, where a negative axis counts from the end, as version 11 says.",
                instead(_axes_from_front),
            ),
        ),
    ),
}
