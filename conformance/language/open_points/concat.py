"""Concat."""

from __future__ import annotations

from dataclasses import replace

from conformance.language.broken_clause import Arguments
from conformance.language.open_points.point import (
    OpenPoint,
    OpenPoints,
    Reading,
    as_computed,
    broken,
    instead,
    shape_of,
    whole_numbers,
)
from conformance.values.tensor import Tensor


def _shapes(arguments: Arguments) -> list[tuple[int, ...]]:
    return [value.shape for value in arguments.values() if isinstance(value, Tensor)]


def _with_missing_dims(arguments: Arguments) -> dict[str, Tensor]:
    """All tensors with as many dims, those in front of length 1."""
    rank = max(map(len, _shapes(arguments)))
    tensors = {name: value for name, value in arguments.items() if isinstance(value, Tensor)}
    return {name: replace(one, shape=(1,) * (rank - len(one.shape)) + one.shape) for name, one in tensors.items()}


OPEN_POINTS: OpenPoints = {
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
