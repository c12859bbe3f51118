"""ScatterND."""

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
from conformance.language.references.signature import numbers_of
from conformance.values.tensor import Tensor, gathered


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


OPEN_POINTS: OpenPoints = {
    "onnx.ScatterND": (
        OpenPoint("place-named-twice", ALWAYS, _names_a_place_twice).either(
            Reading("last", "The page names no error, and the loop that it shows may run in order.", as_computed),
            Reading("first", "The page names no error, and leaves the order of its loop open.", instead(_in_reverse)),
            Reading("forbidden", "Indices should not have duplicate entries.", broken("indices.unique")),
        ),
    ),
}
