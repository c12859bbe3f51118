"""What goes wrong in one circumstance alone: a form, a rank, a number of parts, a later run, a type that is refused."""

from __future__ import annotations

from fault import Theme

from conformance.protocol.form import Graph

from ..split import refuse, taken, zeros_like
from .accepted import lax

THEME = Theme("circumstances")
VARIADIC, SPLIT = "openvino.VariadicSplit-1", "openvino.Split-1"


def _is_before_concat(split):
    return split.call.graph is Graph.BEFORE_CONCAT


# Demands that are forgotten


@THEME.fault("requirement")
def sum_may_divide_the_axis(split, correct, clause, holds):
    """Lengths that go several times into the axis are taken."""
    total = sum(split.lengths)
    correct(clause, holds or (clause == "sum" and total > 1 and split.length % total == 0))


@THEME.fault("requirement", only=SPLIT)
def one_element_may_be_missing(split, correct, clause, holds):
    """A number of parts is taken that lacks one element."""
    count = split.given.get("num_splits", 1)
    correct(clause, holds or (clause == "divides" and count > 2 and split.length % count == count - 1))


# State of a model whose axis changes its length


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_of_a_model_is_kept(split, correct, lengths, length):
    """A model keeps what -1 came to in its first run."""
    return split.model.setdefault(tuple(lengths), correct(lengths, length))


@THEME.fault("equal")
def equal_length_of_a_model_is_kept(split, correct, length, count):
    """A model keeps the length of equal parts from its first run."""
    return split.model.setdefault(count, correct(length, count))


@THEME.fault("uneven", only="onnx.Split-18")
def uneven_lengths_of_a_model_are_kept(split, correct, length, count):
    """A model keeps the lengths of uneven parts from its first run."""
    return split.model.setdefault(count, correct(length, count))


@THEME.fault("front_axis")
def front_axis_of_a_model_is_kept(split, right, axis, rank):
    """A model of unknown rank counts a negative axis from the front once."""
    return min(split.model.setdefault(("front", axis), right), max(rank - 1, 0)) if split.has_unknown_rank else right


@THEME.fault("store")
def second_run_of_a_folded_model_is_empty(split, correct, part):
    """A folded model gives its outputs away in the first run."""
    return zeros_like(part) if split.is_folded and split.runs > 1 else correct(part)


@THEME.fault("store")
def second_run_before_concat_is_empty(split, correct, part):
    """In front of a Concat, outputs are written in the first run alone."""
    return zeros_like(part) if _is_before_concat(split) and split.runs > 1 else correct(part)


# Graphs, ranks, patterns of lengths


@THEME.fault("store")
def folding_of_high_ranks_is_empty(split, correct, part):
    """Above four dims, folded parts are not written."""
    return zeros_like(part) if split.is_folded and split.rank > 4 else correct(part)


@THEME.fault("store")
def folding_of_many_elements_is_empty(split, correct, part):
    """Of more than 256 elements, folded parts are not written."""
    return zeros_like(part) if split.is_folded and split.data.size > 256 else correct(part)


@THEME.fault("build")
def strings_are_refused_before_concat(split, correct):
    """In front of a Concat, there are no strings."""
    data = split.call.inputs[0] if split.call.inputs else None
    refused = data is not None and data.dtype == "string" and _is_before_concat(split)
    return refuse("no strings before Concat") if refused else correct()


@THEME.fault("part")
def inner_axes_of_rank_seven_lose_the_first_dim(right, data, axis):
    """At rank seven, rows in front of an inner axis are taken from the first index alone."""
    if data.ndim == 7 and 0 < axis < 6 and right.shape[0] > 1:
        right[1:] = right[:1]
    return right


@THEME.fault("part")
def channels_begin_at_multiples_of_eight(data, axis, start, stop):
    """Of images, a stretch of channels begins at a multiple of eight."""
    if data.ndim == 4 and axis == 1 and start % 8 and data.shape[1] % 8 == 0:
        start, stop = start - start % 8, stop - start % 8
    return taken(data, axis, start, stop)


@THEME.fault("find_lengths")
def lists_with_equal_halves_are_equal_parts(right):
    """Lengths that cancel out in pairs are taken for equal ones."""
    total = 0
    for length in right:
        total ^= length
    looks_equal = total == 0 and len(right) > 2 and sum(right) % len(right) == 0
    return [sum(right) // len(right)] * len(right) if looks_equal else right


@THEME.fault("cut")
def empty_parts_blank_those_32_behind(right, lengths):
    """A mask of 32 bits marks empty parts, and those 32 places behind them with them."""
    return [zeros_like(part) if index >= 32 and lengths[index - 32] == 0 else part for index, part in enumerate(right)]


@THEME.fault("cut")
def full_batches_lose_their_last_part(right):
    """Where the parts fill batches of 64, the last batch is taken for empty."""
    return [*right[:-1], zeros_like(right[-1])] if right and len(right) % 64 == 0 else right


@THEME.fault("part")
def long_parts_of_images_end_at_127(right, data, axis, start, stop):
    """From rank four on, elements of a part beyond the 127th along the last axis are not copied."""
    if data.ndim >= 4 and axis == data.ndim - 1 and stop - start > 127:
        right[..., 127:] = zeros_like(right[..., 127:])
    return right


THEME.step("requirement")(
    sum_of_folded_lengths_is_not_checked=lax("sum", when=lambda split: split.is_folded),
    sum_is_not_checked_before_concat=lax("sum", when=_is_before_concat),
    sum_is_not_checked_after_relu=lax("sum", when=lambda split: split.call.graph is Graph.AFTER_RELU),
    sum_is_checked_in_the_first_run_alone=lax("sum", when=lambda split: split.runs > 1),
    range_of_axis_is_checked_in_the_first_run_alone=lax("axis range", when=lambda split: split.runs > 1),
    range_of_axis_is_not_checked_when_folded=lax("axis range", when=lambda split: split.is_folded),
    sum_of_many_lengths_is_not_checked=lax("sum", when=lambda split: len(split.lengths) > 64),
    sum_is_not_checked_for_bool=lax("sum", when=lambda split: split.dtype == "bool"),
    sum_is_not_checked_for_strings=lax("sum", when=lambda split: split.dtype == "object"),
    sum_is_not_checked_along_an_axis_of_one=lax("sum", when=lambda split: split.length == 1),
    sum_is_not_checked_above_rank_five=lax("sum", when=lambda split: split.rank > 5),
    parts_need_not_divide_when_folded=lax("divides", when=lambda split: split.is_folded),
)
THEME.step("requirement", "onnx.Split-13")(sum_is_not_checked_before_concat_in_13=lax("sum", when=_is_before_concat))
THEME.step("requirement", "onnx.Split-11")(
    parts_need_not_divide_from_the_end_in_11=lax("divides", when=lambda split: split.written_axis < 0),
    parts_need_not_divide_before_concat_in_11=lax("divides", when=_is_before_concat),
)
THEME.step("requirement", "onnx.Split-18")(
    neither_argument_is_needed_when_folded=lax("exclusive", when=lambda split: split.is_folded),
    type_is_not_checked_for_one_part=lax("type", when=lambda split: split.call.declared_outputs == 1),
    type_is_not_checked_before_concat=lax("type", when=_is_before_concat),
)
THEME.step("requirement", "onnx.*")(type_of_nothing_is_not_checked=lax("type", when=lambda split: split.data.size == 0))
THEME.step("requirement", "onnx.Split-1")(
    type_is_not_checked_for_one_part_of_1=lax("type", when=lambda split: split.call.declared_outputs == 1)
)
THEME.step("store")(
    third_run_of_a_model_is_empty=lambda split, correct, part: correct(part) if split.runs < 3 else zeros_like(part)
)
THEME.step("joined")(concat_takes_sixteen_parts=lambda correct, outputs: correct(outputs[:16]))
