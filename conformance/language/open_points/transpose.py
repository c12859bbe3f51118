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
            id="empty-order",
            versions=ALWAYS,
            when=lambda given, _: is_empty_list(given, "perm") and rank_of(given, "data") != 0,
            readings=(
                Reading(
                    name="not-of-the-rank",
                    reason="The order must contain each dim once, and the empty one contains none.",
                    answer=broken("perm.length"),
                ),
                Reading(
                    name="left-out",
                    reason="An attribute without entries says as much as one that is left out.",
                    answer=instead(lambda _: {"perm": None}),
                ),
            ),
        ),
    )
}
