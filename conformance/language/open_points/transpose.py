"""Transpose."""

from __future__ import annotations

from conformance.language.open_points.point import (
    ALWAYS,
    OpenPoint,
    OpenPoints,
    Reading,
    broken,
    instead,
    is_empty_list,
    rank_of,
)

OPEN_POINTS: OpenPoints = {
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
