"""Squeeze and Unsqueeze."""

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
    rank_of,
    read_flat,
    shape_of,
    whole_numbers,
    with_numbers,
)
from conformance.language.references.signature import Reference
from conformance.values.tensor import Tensor

_FORBIDDEN = "A dim can be inserted once, and the page of version 11 forbids to name one twice."


def _names_a_dim_twice(arguments: Arguments, _: int) -> bool:
    rank, axes = len(shape_of(arguments, "data")), whole_numbers(arguments, "axes")
    return len({axis % rank if rank and -rank <= axis < rank else axis for axis in axes}) < len(axes)


def _each_once(arguments: Arguments) -> dict[str, Tensor | Attribute]:
    axes = list(dict.fromkeys(whole_numbers(arguments, "axes")))
    return {"axes": with_numbers(arguments["axes"], axes)}


def _without_the_rank(arguments: Arguments) -> dict[str, Tensor | Attribute]:
    rank = len(shape_of(arguments, "data"))
    axes = [axis for axis in whole_numbers(arguments, "axes") if axis != rank]
    return {"axes": with_numbers(arguments["axes"], axes)}


def _refused_where_the_rank_is_open(
    reference: Reference, arguments: Arguments, declared_outputs: int
) -> tuple[Tensor, ...]:
    """A rejection where the readings of empty axes differ in rank, so that no model can say it."""
    if 1 in shape_of(arguments, "data"):
        raise BrokenClauseError("axes.empty", "so the model does not say the rank of the output")
    return as_computed(reference, arguments, declared_outputs)


_NUMBER_IN_PLACE_OF_A_LIST = OpenPoint(
    "number-in-place-of-a-list", range(13, 23), lambda given, _: rank_of(given, "axes") == 0
).either(
    Reading("not-a-list", "The axes are a list, and a scalar is none; later pages call it 1-D.", broken("axes.rank")),
    Reading("list-of-one", "The page names no rank of the tensor, and one axis needs no list.", read_flat("axes")),
)

OPEN_POINTS: OpenPoints = {
    "onnx.Squeeze": (
        OpenPoint("no-axes", ALWAYS, lambda given, _: is_empty_list(given, "axes")).either(
            Reading("nothing-removed", "The axes are given, and they name no dim.", as_computed),
            Reading(
                "as-left-out",
                "A list without entries says as much as one that is left out, and then each dim of length 1 goes.",
                instead(lambda _: {"axes": None}),
                thread="https://github.com/microsoft/onnxruntime/pull/12649",
            ),
            Reading(
                "no-rank",
                "The rank of the output is open, so the model does not say it, and ONNX's specification requires it.",
                _refused_where_the_rank_is_open,
            ),
        ),
        OpenPoint(
            "axis-of-the-rank-in-1",
            range(11),
            lambda given, _: len(shape_of(given, "data")) in whole_numbers(given, "axes"),
        ).either(
            Reading("no-dim", "There is no dim at that place.", broken("axes.range")),
            Reading(
                "nothing-removed",
                "The data has at least as many dims as the greatest axis says, and there is no dim to remove.",
                instead(_without_the_rank),
            ),
        ),
        OpenPoint("dim-named-twice", ALWAYS, _names_a_dim_twice).either(
            Reading("once", "The page names no error, and the dim that is named again is removed.", as_computed),
            Reading(
                "forbidden",
                "A dim can be removed once, and the page of Unsqueeze forbids to name one twice.",
                broken("axes.once"),
            ),
        ),
        _NUMBER_IN_PLACE_OF_A_LIST,
    ),
    "onnx.Unsqueeze": (
        OpenPoint("no-axes-before-13", range(13), lambda given, _: is_empty_list(given, "axes")).either(
            Reading("nothing-inserted", "The axes are given, and they name no dim.", as_computed),
            left_out("axes.required"),
        ),
        OpenPoint(
            "dim-named-twice-in-1",
            range(11),
            lambda given, _: len(set(axes := whole_numbers(given, "axes"))) < len(axes),
        ).either(
            Reading("forbidden", _FORBIDDEN, broken("axes.once")),
            Reading(
                "once",
                "The page names no error, and the dim at that place of the output is there.",
                instead(_each_once),
            ),
        ),
        _NUMBER_IN_PLACE_OF_A_LIST,
    ),
}
