"""The open points of Slice and Split."""

from __future__ import annotations

from collections.abc import Iterator

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
    read_flat,
    shape_of,
    whole_numbers,
    with_numbers,
)
from conformance.spec.references.signature import Reference
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.tensor import Tensor, array_from_tensor, slices_along


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

SLICE_POINTS: OpenPoints = {
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


# Split.

_MOST_PARTS = 1 << 16
"""No node declares more outputs."""
_WITH_INPUT, _WITH_COUNT = range(13, len(ALWAYS)), range(18, len(ALWAYS))
_SLIP = "https://github.com/onnx/onnx/pull/235"
_EQUAL = "https://github.com/onnx/onnx/issues/5766"


def _length(arguments: Arguments) -> int:
    return length_of_axis(arguments, "input")


def _count(arguments: Arguments) -> int:
    """The number of parts that is asked for in place of their lengths; 0 if lengths or no number are given."""
    counts = whole_numbers(arguments, "num_outputs")
    return counts[0] if counts and "split" not in arguments else 0


def _rest(arguments: Arguments) -> int | None:
    """What equal parts, rounded up, leave of the axis for the last one; None if there are more parts than elements."""
    length, count = _length(arguments), _count(arguments)
    return length - -(-length // count) * (count - 1) if 1 <= count <= length else None


def _parts(arguments: Arguments, lengths: list[int]) -> tuple[Tensor, ...]:
    """The parts that end where the axis ends at the latest."""
    data, end = arguments["input"], _length(arguments)
    assert isinstance(data, Tensor)
    stops = [min(end, sum(lengths[: number + 1])) for number in range(len(lengths))]
    return slices_along(data, axis_of(arguments) % len(data.shape), zip([0, *stops], stops, strict=False))


def _clipped(_: Reference, arguments: Arguments, declared_outputs: int) -> tuple[Tensor, ...]:
    """Each part takes the rounded-up share while there is one."""
    count = _count(arguments)
    return _parts(arguments, [-(-_length(arguments) // count)] * min(count, declared_outputs, _MOST_PARTS))


def _spread(_: Reference, arguments: Arguments, declared_outputs: int) -> tuple[Tensor, ...]:
    """The first parts have one element more."""
    share, longer = divmod(_length(arguments), _count(arguments))
    return _parts(arguments, [share + (number < longer) for number in range(min(_count(arguments), declared_outputs))])


def _equal(_: Reference, arguments: Arguments, declared_outputs: int) -> tuple[Tensor, ...]:
    if declared_outputs < 1 or _length(arguments) % declared_outputs:
        raise BrokenClauseError("split.equal", "the parts are not equal")
    return _parts(arguments, [_length(arguments) // declared_outputs] * declared_outputs)


def _omitting(reference: Reference, arguments: Arguments, declared_outputs: int) -> tuple[Tensor, ...]:
    """The first outputs of as many as are asked for."""
    count = _count(arguments) or len(whole_numbers(arguments, "split"))
    if count > _MOST_PARTS:
        return _clipped(reference, arguments, declared_outputs)
    return reference(arguments, count)[:declared_outputs]


def _leaves_a_rest(arguments: Arguments, _: int) -> bool:
    lengths = whole_numbers(arguments, "split")
    return bool(lengths) and min(lengths) >= 0 and sum(lengths) < _length(arguments)


def _without_rest(arguments: Arguments) -> dict[str, Tensor]:
    data = arguments["input"]
    assert isinstance(data, Tensor)
    end = sum(whole_numbers(arguments, "split"))
    return {"input": slices_along(data, axis_of(arguments) % len(data.shape), [(0, end)])[0]}


def _leaves_one_length_open(arguments: Arguments, _: int) -> bool:
    """Whether one length is -1, and no other one is negative."""
    lengths = whole_numbers(arguments, "split")
    return lengths.count(-1) == 1 and sum(length < 0 for length in lengths) == 1


def _with_the_rest(arguments: Arguments) -> dict[str, Tensor | Attribute]:
    lengths = whole_numbers(arguments, "split")
    rest = _length(arguments) - sum(lengths) - 1
    return {"split": with_numbers(arguments["split"], [rest if length == -1 else length for length in lengths])}


def _lengths_as_attribute(reference: Reference, arguments: Arguments, declared_outputs: int) -> tuple[Tensor, ...]:
    """The answer for lengths in a tensor of the data's type."""
    given, data = arguments["split"], arguments.get("input")
    assert isinstance(given, Tensor)
    if not isinstance(data, Tensor) or given.dtype != data.dtype:
        return reference(arguments, declared_outputs)
    lengths = array_from_tensor(given).reshape(-1).tolist()
    if not all(length == length // 1 for length in lengths):
        raise BrokenClauseError("split.type", "a length is not a whole number")
    return reference({**arguments, "split": [int(length) for length in lengths]}, declared_outputs)


_SPREAD = Reading(
    "spread",
    "The parts are as equal as possible, and the first few have one element more than the others.",
    _spread,
    thread="https://github.com/microsoft/onnxruntime/issues/15882",
)
_TRAILING_OMITTED = Reading(
    "trailing-omitted",
    "An ONNX node may omit unused outputs at its end.",
    _omitting,
    thread="https://github.com/onnx/onnx/pull/8255",
)
_NO_SUCH_LENGTH = broken("split.non_negative")
_NO_SUCH_SPLIT = broken("num_outputs.remainder")
_NOTHING_LEFT = OpenPoint("nothing-left-for-last", _WITH_COUNT, lambda given, _: _rest(given) == 0).either(
    Reading("empty-last", "An empty part is a smaller one, and all others are equal.", as_computed, thread=_EQUAL),
    _SPREAD,
    Reading("no-such-split", "An empty part is no part, so there would be fewer parts than requested.", _NO_SUCH_SPLIT),
)

SPLIT_POINTS: OpenPoints = {
    "onnx.Split": (
        OpenPoint(
            "negative-axis-before-11", range(11), lambda given, _: -len(shape_of(given, "input")) <= axis_of(given) < 0
        ).either(
            Reading(
                "from-front-only",
                "The page does not mention negative axes; the page of version 11 adds them.",
                broken("axis.range"),
                thread="https://github.com/onnx/onnx/pull/2207",
            ),
            Reading(
                "from-end",
                "The page sets no lower bound, and models of that time used axes from the end.",
                instead(lambda given: {"axis": axis_of(given) + len(shape_of(given, "input"))}),
                thread="https://github.com/onnx/onnx/pull/2177",
            ),
        ),
        OpenPoint("axis-left-out-of-1", range(2), lambda given, _: "axis" not in given).either(
            Reading(
                "first-axis",
                "The page does not require the axis, and on all later pages the first one is the default.",
                as_computed,
            ),
            Reading("required", "The page names no default, so no axis is defined.", broken("axis.unset")),
        ),
        OpenPoint(
            "scalar-of-the-data-s-type-as-the-only-length",
            range(2),
            lambda given, _: rank_of(given, "split") not in (None, 1),
        ).either(
            Reading("list-only", "There is a length for each output; only a list can hold them.", broken("split.type")),
            Reading(
                "one-length", "The page requires no rank, and one number is the length of one output.", as_computed
            ),
        ),
        OpenPoint("lengths-of-type-of-input", range(2), lambda given, _: rank_of(given, "split") is not None).either(
            Reading(
                "as-written",
                "The page lists a second input of the data's type, which can hold integers.",
                _lengths_as_attribute,
            ),
            Reading(
                "a-slip",
                "Floating-point lengths make no sense, version 2 dropped the input, and no runtime needs to read it.",
                broken("split.input_of_type_T"),
                thread=_SLIP,
            ),
        ),
        OpenPoint(
            "lengths-of-another-rank", _WITH_INPUT, lambda given, _: rank_of(given, "split") not in (None, 1)
        ).either(
            Reading(
                "list-only",
                "There is a length for each output, in order; only a list can hold them.",
                broken("split.rank"),
            ),
            Reading(
                "read-flat",
                "The page requires no rank, and read in order the tensor holds a length for each output.",
                read_flat("split"),
            ),
        ),
        OpenPoint(
            "empty-list-of-lengths", range(18), lambda given, _: is_empty_list(given, "split") and _length(given) > 0
        ).either(
            Reading(
                "no-lengths",
                "The lengths are given, and their sum is 0.",
                broken("split.sum"),
                thread="https://github.com/onnx/onnx/pull/5559",
            ),
            Reading(
                "as-if-left-out",
                "An empty list of an ONNX node means the same as a missing one, so the parts are equal.",
                _equal,
            ),
        ),
        OpenPoint(
            "empty-list-of-lengths-on-empty-axis",
            ALWAYS,
            lambda given, _: is_empty_list(given, "split") and not _length(given) and "num_outputs" not in given,
        ).either(
            Reading("no-lengths", "The sum fits, but the node's one output has no length.", broken("split.count")),
            Reading("as-if-left-out", "An empty list of an ONNX node means the same as a missing one.", _equal),
        ),
        OpenPoint(
            "empty-list-of-lengths-and-num-outputs",
            _WITH_COUNT,
            lambda given, _: is_empty_list(given, "split") and "num_outputs" in given,
        ).either(
            Reading(
                "both-given",
                "The input is present, though empty, and excludes the attribute.",
                broken("num_outputs.exclusive"),
                thread="https://github.com/onnx/onnx-mlir/pull/2241",
            ),
            Reading(
                "as-if-left-out",
                "An empty list of an ONNX node means the same as a missing one.",
                instead(lambda _: {"split": None}),
            ),
        ),
        OpenPoint(
            "fewer-outputs-than-lengths",
            ALWAYS,
            lambda given, declared: 0 < declared < len(whole_numbers(given, "split")),
        ).either(
            Reading(
                "one-for-each",
                "The lengths are those of the outputs, so there are as many lengths as outputs.",
                broken("split.count"),
            ),
            _TRAILING_OMITTED,
        ),
        OpenPoint(
            "fewer-outputs-than-num-outputs", _WITH_COUNT, lambda given, declared: 0 < declared < _count(given)
        ).either(
            Reading(
                "one-for-each",
                "The attribute is the number of outputs, and the node has another number.",
                broken("num_outputs.declared"),
            ),
            _TRAILING_OMITTED,
        ),
        OpenPoint("length-of-minus-one-before-11", range(11), _leaves_one_length_open).either(
            Reading(
                "no-length", "The lengths are those of the parts, and no part is shorter than empty.", _NO_SUCH_LENGTH
            ),
            Reading(
                "the-rest",
                "The page sets no lower bound, and a length of -1 is that which the others leave, as for Reshape.",
                instead(_with_the_rest),
            ),
        ),
        OpenPoint("sum-too-small-before-13", range(13), _leaves_a_rest).either(
            Reading(
                "whole-tensor",
                "The whole tensor is split, so nothing of it may be left over.",
                broken("split.sum"),
                thread="https://github.com/onnx/onnx/pull/2328",
            ),
            Reading(
                "rest-dropped",
                "The page only gives the length of each output and requires nothing of their sum.",
                instead(_without_rest),
            ),
        ),
        _NOTHING_LEFT,
        OpenPoint("less-than-nothing-left-for-last", _WITH_COUNT, lambda given, _: (_rest(given) or 0) < 0).either(
            Reading(
                "no-such-split",
                "If all parts except the last are equal, the last one would have a negative length.",
                _NO_SUCH_SPLIT,
                thread=_EQUAL,
            ),
            Reading(
                "clipped",
                "Each part takes the rounded-up share while there is one; the last parts take the rest.",
                _clipped,
                thread=_EQUAL,
            ),
            _SPREAD,
        ),
        OpenPoint(
            "more-outputs-than-elements", _WITH_COUNT, lambda given, _: 0 < _length(given) < _count(given)
        ).either(
            Reading(
                "no-such-split",
                "An empty part is no part, so there cannot be more parts than elements.",
                _NO_SUCH_SPLIT,
                thread="https://github.com/robertknight/rten/pull/658",
            ),
            Reading(
                "empty-parts",
                "The page does not bound the number of outputs by the axis; the parts at the end are the smaller ones.",
                _clipped,
            ),
        ),
        OpenPoint(
            "num-outputs-on-empty-axis", _WITH_COUNT, lambda given, _: not _length(given) and _count(given) > 0
        ).either(
            Reading("empty-parts", "Every number divides 0, and the parts are equal in being empty.", as_computed),
            Reading("nothing-to-cut", "There are no elements for that many parts.", _NO_SUCH_SPLIT),
        ),
    ),
}
