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


def _refused_where_the_rank_is_open(
    reference: Reference, arguments: Arguments, declared_outputs: int
) -> tuple[Tensor, ...]:
    """A rejection where the readings of empty axes differ in rank, so that no model can say it."""
    if 1 in shape_of(arguments, "data"):
        raise BrokenClauseError("axes.empty", "so the model does not say the rank of the output")
    return as_computed(reference, arguments, declared_outputs)


_NUMBER_IN_PLACE_OF_A_LIST = OpenPoint(
    id="number-in-place-of-a-list",
    versions=range(13, 23),
    when=lambda given, _: rank_of(given, "axes") == 0,
    readings=(
        Reading(
            name="not-a-list",
            reason="The axes are a list, and a scalar is none; later pages call it 1-D.",
            answer=broken("axes.rank"),
        ),
        Reading(
            name="list-of-one",
            reason="The page names no rank of the tensor, and one axis needs no list.",
            answer=read_flat("axes"),
        ),
    ),
)

OPEN_POINTS: OpenPoints = {
    "onnx.Squeeze": (
        OpenPoint(
            id="no-axes",
            versions=ALWAYS,
            when=lambda given, _: is_empty_list(given, "axes"),
            readings=(
                Reading(
                    name="nothing-removed",
                    reason="The axes are given, and they name no dim.",
                    answer=as_computed,
                ),
                Reading(
                    name="as-left-out",
                    reason=(
                        "A list without entries says as much as one that is left out, and then each dim of length 1 "
                        "goes."
                    ),
                    thread="https://github.com/microsoft/onnxruntime/pull/12649",
                    answer=instead(lambda _: {"axes": None}),
                ),
                Reading(
                    name="no-rank",
                    reason=(
                        "The rank of the output is open, so the model does not say it, and ONNX's specification "
                        "requires it."
                    ),
                    answer=_refused_where_the_rank_is_open,
                ),
            ),
        ),
        OpenPoint(
            id="dim-named-twice",
            versions=ALWAYS,
            when=_names_a_dim_twice,
            readings=(
                Reading(
                    name="once",
                    reason="The page names no error, and the dim that is named again is removed.",
                    answer=as_computed,
                ),
                Reading(
                    name="forbidden",
                    reason="A dim can be removed once, and the page of Unsqueeze forbids to name one twice.",
                    answer=broken("axes.once"),
                ),
            ),
        ),
        _NUMBER_IN_PLACE_OF_A_LIST,
    ),
    "onnx.Unsqueeze": (
        OpenPoint(
            id="dim-named-twice-in-1",
            versions=range(11),
            when=lambda given, _: len(set(axes := whole_numbers(given, "axes"))) < len(axes),
            readings=(
                Reading(name="forbidden", reason=_FORBIDDEN, answer=broken("axes.once")),
                Reading(
                    name="once",
                    reason="The page names no error, and the dim at that place of the output is there.",
                    answer=instead(_each_once),
                ),
            ),
        ),
        _NUMBER_IN_PLACE_OF_A_LIST,
    ),
}
