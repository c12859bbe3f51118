"""Split."""

from __future__ import annotations

from conformance.language.broken_clause import Arguments, BrokenClauseError
from conformance.language.open_points.point import (
    ALWAYS,
    OpenPoint,
    OpenPoints,
    Reading,
    as_computed,
    axis_of,
    broken,
    instead,
    is_empty_list,
    length_of_axis,
    rank_of,
    read_flat,
    shape_of,
    whole_numbers,
)
from conformance.language.references.signature import Reference
from conformance.values.tensor import Tensor, array_from_tensor, slices_along

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
    name="spread",
    reason="The parts are as equal as possible, and the first few have one element more than the others.",
    thread="https://github.com/microsoft/onnxruntime/issues/15882",
    answer=_spread,
)
_TRAILING_OMITTED = Reading(
    name="trailing-omitted",
    reason="An ONNX node may omit unused outputs at its end.",
    thread="https://github.com/onnx/onnx/pull/8255",
    answer=_omitting,
)
_FROM_FRONT = OpenPoint(
    id="negative-axis-before-11",
    versions=range(11),
    when=lambda given, _: -len(shape_of(given, "input")) <= axis_of(given) < 0,
    readings=(
        Reading(
            name="from-front-only",
            reason="The page does not mention negative axes; the page of version 11 adds them.",
            thread="https://github.com/onnx/onnx/pull/2207",
            answer=broken("axis.range"),
        ),
        Reading(
            name="from-end",
            reason="The page sets no lower bound, and models of that time used axes from the end.",
            thread="https://github.com/onnx/onnx/pull/2177",
            answer=instead(lambda given: {"axis": axis_of(given) + len(shape_of(given, "input"))}),
        ),
    ),
)
_AXIS_LEFT_OUT = OpenPoint(
    id="axis-left-out-of-1",
    versions=range(2),
    when=lambda given, _: "axis" not in given,
    readings=(
        Reading(
            name="first-axis",
            reason="The page does not require the axis, and on all later pages the first one is the default.",
            answer=as_computed,
        ),
        Reading(
            name="required",
            reason="The page names no default, so no axis is defined.",
            answer=broken("axis.unset"),
        ),
    ),
)
_LENGTHS_OF_TYPE_OF_INPUT = OpenPoint(
    id="lengths-of-type-of-input",
    versions=range(2),
    when=lambda given, _: rank_of(given, "split") is not None,
    readings=(
        Reading(
            name="as-written",
            reason="The page lists a second input of the data's type, which can hold integers.",
            answer=_lengths_as_attribute,
        ),
        Reading(
            name="a-slip",
            reason=(
                "Floating-point lengths make no sense, version 2 dropped the input, and no runtime needs to read it."
            ),
            thread=_SLIP,
            answer=broken("split.input_of_type_T"),
        ),
    ),
)
_SCALAR_OF_TYPE_OF_INPUT = OpenPoint(
    id="scalar-of-the-data-s-type-as-the-only-length",
    versions=range(2),
    when=lambda given, _: rank_of(given, "split") not in (None, 1),
    readings=(
        Reading(
            name="list-only",
            reason="There is a length for each output; only a list can hold them.",
            answer=broken("split.type"),
        ),
        Reading(
            name="one-length",
            reason="The page requires no rank, and one number is the length of one output.",
            answer=as_computed,
        ),
    ),
)
_LENGTHS_OF_ANOTHER_RANK = OpenPoint(
    id="lengths-of-another-rank",
    versions=_WITH_INPUT,
    when=lambda given, _: rank_of(given, "split") not in (None, 1),
    readings=(
        Reading(
            name="list-only",
            reason="There is a length for each output, in order; only a list can hold them.",
            answer=broken("split.rank"),
        ),
        Reading(
            name="read-flat",
            reason="The page requires no rank, and read in order the tensor holds a length for each output.",
            answer=read_flat("split"),
        ),
    ),
)
_EMPTY_LIST = OpenPoint(
    id="empty-list-of-lengths",
    versions=range(18),
    when=lambda given, _: is_empty_list(given, "split") and _length(given) > 0,
    readings=(
        Reading(
            name="no-lengths",
            reason="The lengths are given, and their sum is 0.",
            thread="https://github.com/onnx/onnx/pull/5559",
            answer=broken("split.sum"),
        ),
        Reading(
            name="as-if-left-out",
            reason="An empty list of an ONNX node means the same as a missing one, so the parts are equal.",
            answer=_equal,
        ),
    ),
)
_EMPTY_LIST_ON_EMPTY_AXIS = OpenPoint(
    id="empty-list-of-lengths-on-empty-axis",
    versions=ALWAYS,
    when=lambda given, _: is_empty_list(given, "split") and not _length(given) and "num_outputs" not in given,
    readings=(
        Reading(
            name="no-lengths",
            reason="The sum fits, but the node's one output has no length.",
            answer=broken("split.count"),
        ),
        Reading(
            name="as-if-left-out",
            reason="An empty list of an ONNX node means the same as a missing one.",
            answer=_equal,
        ),
    ),
)
_EMPTY_LIST_AND_COUNT = OpenPoint(
    id="empty-list-of-lengths-and-num-outputs",
    versions=_WITH_COUNT,
    when=lambda given, _: is_empty_list(given, "split") and "num_outputs" in given,
    readings=(
        Reading(
            name="both-given",
            reason="The input is present, though empty, and excludes the attribute.",
            thread="https://github.com/onnx/onnx-mlir/pull/2241",
            answer=broken("num_outputs.exclusive"),
        ),
        Reading(
            name="as-if-left-out",
            reason="An empty list of an ONNX node means the same as a missing one.",
            answer=instead(lambda _: {"split": None}),
        ),
    ),
)
_SUM_TOO_SMALL = OpenPoint(
    id="sum-too-small-before-13",
    versions=range(13),
    when=_leaves_a_rest,
    readings=(
        Reading(
            name="whole-tensor",
            reason="The whole tensor is split, so nothing of it may be left over.",
            thread="https://github.com/onnx/onnx/pull/2328",
            answer=broken("split.sum"),
        ),
        Reading(
            name="rest-dropped",
            reason="The page only gives the length of each output and requires nothing of their sum.",
            answer=instead(_without_rest),
        ),
    ),
)
_FEWER_OUTPUTS_THAN_LENGTHS = OpenPoint(
    id="fewer-outputs-than-lengths",
    versions=ALWAYS,
    when=lambda given, declared: 0 < declared < len(whole_numbers(given, "split")),
    readings=(
        Reading(
            name="one-for-each",
            reason="The lengths are those of the outputs, so there are as many lengths as outputs.",
            answer=broken("split.count"),
        ),
        _TRAILING_OMITTED,
    ),
)
_FEWER_OUTPUTS_THAN_COUNT = OpenPoint(
    id="fewer-outputs-than-num-outputs",
    versions=_WITH_COUNT,
    when=lambda given, declared: 0 < declared < _count(given),
    readings=(
        Reading(
            name="one-for-each",
            reason="The attribute is the number of outputs, and the node has another number.",
            answer=broken("num_outputs.declared"),
        ),
        _TRAILING_OMITTED,
    ),
)
_NO_SUCH_SPLIT = broken("num_outputs.remainder")
_NOTHING_LEFT = OpenPoint(
    id="nothing-left-for-last",
    versions=_WITH_COUNT,
    when=lambda given, _: _rest(given) == 0,
    readings=(
        Reading(
            name="empty-last",
            reason="An empty part is a smaller one, and all others are equal.",
            thread=_EQUAL,
            answer=as_computed,
        ),
        _SPREAD,
        Reading(
            name="no-such-split",
            reason="An empty part is no part, so there would be fewer parts than requested.",
            answer=_NO_SUCH_SPLIT,
        ),
    ),
)
_LESS_THAN_NOTHING_LEFT = OpenPoint(
    id="less-than-nothing-left-for-last",
    versions=_WITH_COUNT,
    when=lambda given, _: (_rest(given) or 0) < 0,
    readings=(
        Reading(
            name="no-such-split",
            reason="If all parts except the last are equal, the last one would have a negative length.",
            thread=_EQUAL,
            answer=_NO_SUCH_SPLIT,
        ),
        Reading(
            name="clipped",
            reason="Each part takes the rounded-up share while there is one; the last parts take the rest.",
            thread=_EQUAL,
            answer=_clipped,
        ),
        _SPREAD,
    ),
)
_MORE_OUTPUTS_THAN_ELEMENTS = OpenPoint(
    id="more-outputs-than-elements",
    versions=_WITH_COUNT,
    when=lambda given, _: 0 < _length(given) < _count(given),
    readings=(
        Reading(
            name="no-such-split",
            reason="An empty part is no part, so there cannot be more parts than elements.",
            thread="https://github.com/robertknight/rten/pull/658",
            answer=_NO_SUCH_SPLIT,
        ),
        Reading(
            name="empty-parts",
            reason=(
                "The page does not bound the number of outputs by the axis; the parts at the end are the smaller ones."
            ),
            answer=_clipped,
        ),
    ),
)
_COUNT_ON_EMPTY_AXIS = OpenPoint(
    id="num-outputs-on-empty-axis",
    versions=_WITH_COUNT,
    when=lambda given, _: not _length(given) and _count(given) > 0,
    readings=(
        Reading(
            name="empty-parts",
            reason="Every number divides 0, and the parts are equal in being empty.",
            answer=as_computed,
        ),
        Reading(
            name="nothing-to-cut",
            reason="There are no elements for that many parts.",
            answer=_NO_SUCH_SPLIT,
        ),
    ),
)

OPEN_POINTS: OpenPoints = {
    "onnx.Split": (
        _FROM_FRONT,
        _AXIS_LEFT_OUT,
        _SCALAR_OF_TYPE_OF_INPUT,
        _LENGTHS_OF_TYPE_OF_INPUT,
        _LENGTHS_OF_ANOTHER_RANK,
        _EMPTY_LIST,
        _EMPTY_LIST_ON_EMPTY_AXIS,
        _EMPTY_LIST_AND_COUNT,
        _FEWER_OUTPUTS_THAN_LENGTHS,
        _FEWER_OUTPUTS_THAN_COUNT,
        _SUM_TOO_SMALL,
        _NOTHING_LEFT,
        _LESS_THAN_NOTHING_LEFT,
        _MORE_OUTPUTS_THAN_ELEMENTS,
        _COUNT_ON_EMPTY_AXIS,
    )
}
