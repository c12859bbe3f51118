"""The open points of Reshape, Squeeze and Unsqueeze."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from conformance.protocol.call import Attribute
from conformance.spec.broken_clause import Arguments, BrokenClauseError
from conformance.spec.open_points.point import (
    ALWAYS,
    Answering,
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
from conformance.spec.references.signature import Reference
from conformance.tensors.tensor import Tensor


def _copied(arguments: Arguments) -> list[int] | None:
    """The shape with the copied dim in place of each 0; None if a 0 is a length, or has no dim to copy."""
    lengths, data = whole_numbers(arguments, "shape"), shape_of(arguments, "data")
    if any(whole_numbers(arguments, "allowzero")) or any(length == 0 for length in lengths[len(data) :]):
        return None
    return [length or data[dim] for dim, length in enumerate(lengths)]


def _infers_beside_zero(arguments: Arguments, _: int) -> bool:
    """Whether a -1 stands beside a copied length of 0."""
    copied = _copied(arguments)
    return copied is not None and 0 in copied and copied.count(-1) == 1


def _copies_beyond_nothing(arguments: Arguments, _: int) -> bool:
    """Whether the data has no elements, and a 0 of the shape has no dim to copy."""
    lengths, data = whole_numbers(arguments, "shape"), shape_of(arguments, "data")
    is_length = any(whole_numbers(arguments, "allowzero"))
    return not is_length and 0 in data and 0 in lengths[len(data) :]


def _with_shape(found: Sequence[int], arguments: Arguments) -> tuple[Tensor, ...]:
    """The data with another shape of as many elements."""
    data = arguments["data"]
    if not isinstance(data, Tensor) or math.prod(found) != data.size or min(found, default=0) < 0:
        raise BrokenClauseError("shape.count", "the shape has another number of elements")
    return (replace(data, shape=tuple(found)),)


def _inferred_as_zero(_: Reference, arguments: Arguments, __: int) -> tuple[Tensor, ...]:
    return _with_shape([max(length, 0) for length in _copied(arguments) or []], arguments)


def _inferred_as_the_rest(_: Reference, arguments: Arguments, __: int) -> tuple[Tensor, ...]:
    """What the dims of the data that are not copied leave for the -1."""
    lengths, copied, data = whole_numbers(arguments, "shape"), _copied(arguments) or [], shape_of(arguments, "data")
    kept = math.prod(length for dim, length in enumerate(data) if dim >= len(lengths) or lengths[dim] != 0)
    others = math.prod(length for length in lengths if length > 0)
    if kept % others:
        raise BrokenClauseError("shape.count", "no length keeps the number of elements")
    return _with_shape([kept // others if length == -1 else length for length in copied], arguments)


def _zeros_as_lengths(_: Reference, arguments: Arguments, __: int) -> tuple[Tensor, ...]:
    lengths, data = whole_numbers(arguments, "shape"), shape_of(arguments, "data")
    found = [data[dim] if length == 0 and dim < len(data) else length for dim, length in enumerate(lengths)]
    return _with_shape(found, arguments)


def _with_allowzero(number: int) -> Answering:
    return instead(lambda _: {"allowzero": number})


RESHAPE_POINTS: OpenPoints = {
    "onnx.Reshape": (
        OpenPoint("no-shape-of-1", range(5), lambda given, _: "shape" not in given).either(
            Reading("empty", "A list that is left out has no entries, and an empty shape makes a scalar.", as_computed),
            Reading(
                "required",
                (
                    "The summary says that the operator takes the shape as an argument, and names none for a call "
                    "without it."
                ),
                broken("shape.left_out"),
            ),
        ),
        OpenPoint("empty-shape-of-1", range(5), lambda given, _: is_empty_list(given, "shape")).either(
            Reading("scalar", "The summary says that an empty shape makes a scalar.", as_computed),
            Reading(
                "left-out",
                (
                    "The summary speaks of an input that this version lacks, and a list without entries says as "
                    "much as none."
                ),
                broken("shape.left_out"),
            ),
        ),
        OpenPoint("shape-of-another-rank", ALWAYS, lambda given, _: rank_of(given, "shape") not in (None, 1)).either(
            Reading(
                "list-only",
                "A shape is a list of lengths, and the value of no other tensor is one.",
                broken("shape.rank"),
            ),
            Reading(
                "any-rank",
                "The page asks for a tensor that specifies the shape, and does not name its rank.",
                read_flat("shape"),
            ),
        ),
        OpenPoint("inferred-beside-a-copied-length-of-zero", ALWAYS, _infers_beside_zero).either(
            Reading(
                "not-determined",
                "Beside a dim of length 0, every length keeps the number of elements; numpy.reshape refuses it.",
                broken("shape.count"),
                thread="https://github.com/onnx/onnx/issues/6104",
            ),
            Reading("zero", "The number of elements is 0, and a length of 0 keeps it.", _inferred_as_zero),
            Reading(
                "rest",
                "The copied dim is the same on both sides, and the other dims leave a length for the -1.",
                _inferred_as_the_rest,
                thread="https://github.com/onnx/onnx/issues/6104",
            ),
        ),
        OpenPoint("zero-beyond-the-rank-of-no-elements", ALWAYS, _copies_beyond_nothing).either(
            Reading(
                "no-dim-to-copy",
                "A 0 takes the length of a dim of the data, and the data has none at that place.",
                broken("shape.zero"),
            ),
            Reading(
                "zero",
                "Where there is no dim to copy, a 0 is a length as it is for numpy.reshape.",
                _zeros_as_lengths,
                thread="https://github.com/microsoft/onnxruntime/issues/8421",
            ),
        ),
        OpenPoint(
            "other-values-of-allowzero",
            ALWAYS,
            lambda given, _: any(number not in (0, 1) for number in whole_numbers(given, "allowzero")),
        ).either(
            Reading(
                "set",
                "The summary speaks of an attribute that is set, and any number but the default sets it.",
                _with_allowzero(1),
            ),
            Reading(
                "only-one",
                "The attribute is described for 1 alone, and every other number is as the default.",
                _with_allowzero(0),
            ),
            Reading("not-allowed", "The attribute is described for 0 and 1.", broken("allowzero.type")),
        ),
    ),
}


# Squeeze and Unsqueeze.

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

SQUEEZE_POINTS: OpenPoints = {
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
