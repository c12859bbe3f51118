"""Concat."""

from __future__ import annotations

from conformance.language.broken_clause import Arguments
from conformance.language.open_points.point import (
    OpenPoint,
    OpenPoints,
    Reading,
    broken,
    instead,
    shape_of,
    whole_numbers,
)

OPEN_POINTS: OpenPoints = {
    "onnx.Concat": (
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
