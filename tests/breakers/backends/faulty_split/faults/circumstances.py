"""What goes wrong in one circumstance alone: a form, a rank, a number of parts, a later run, a type that is refused."""

from __future__ import annotations

from fault import Theme

from conformance.protocol.form import Graph

from ..split import refuse, taken, zeros_like

THEME = Theme("circumstances")
VARIADIC, SPLIT = "openvino.VariadicSplit-1", "openvino.Split-1"


def _is_before_concat(split):
    return split.call.graph is Graph.BEFORE_CONCAT


# Demands that are forgotten


@THEME.fault("requirement")
def sum_of_folded_lengths_is_not_checked(split, correct, clause, holds):
    """Where all is constant, lengths need not add up."""
    correct(clause, holds or (clause == "sum" and split.is_folded))


@THEME.fault("requirement")
def sum_is_not_checked_before_concat(split, correct, clause, holds):
    """In front of a Concat, lengths need not add up."""
    correct(clause, holds or (clause == "sum" and _is_before_concat(split)))


@THEME.fault("requirement", only="onnx.Split-13")
def sum_is_not_checked_before_concat_in_13(split, correct, clause, holds):
    """In front of a Concat, version 13 takes lengths that do not add up."""
    correct(clause, holds or (clause == "sum" and _is_before_concat(split)))


@THEME.fault("requirement")
def sum_is_not_checked_after_relu(split, correct, clause, holds):
    """Behind a Relu, lengths need not add up."""
    correct(clause, holds or (clause == "sum" and split.call.graph is Graph.AFTER_RELU))


@THEME.fault("requirement")
def sum_is_checked_in_the_first_run_alone(split, correct, clause, holds):
    """Later runs of a model take lengths that do not add up."""
    correct(clause, holds or (clause == "sum" and split.runs > 1))


@THEME.fault("requirement")
def range_of_axis_is_checked_in_the_first_run_alone(split, correct, clause, holds):
    """Later runs of a model take any axis."""
    correct(clause, holds or (clause == "axis range" and split.runs > 1))


@THEME.fault("requirement")
def range_of_axis_is_not_checked_when_folded(split, correct, clause, holds):
    """Where all is constant, any axis is taken."""
    correct(clause, holds or (clause == "axis range" and split.is_folded))


@THEME.fault("requirement")
def sum_of_many_lengths_is_not_checked(split, correct, clause, holds):
    """More than 64 lengths need not add up."""
    correct(clause, holds or (clause == "sum" and len(split.lengths) > 64))


@THEME.fault("requirement")
def sum_is_not_checked_for_bool(split, correct, clause, holds):
    """Lengths of truth values need not add up."""
    correct(clause, holds or (clause == "sum" and split.dtype == "bool"))


@THEME.fault("requirement")
def sum_is_not_checked_for_strings(split, correct, clause, holds):
    """Lengths of strings need not add up."""
    correct(clause, holds or (clause == "sum" and split.dtype == "object"))


@THEME.fault("requirement")
def sum_is_not_checked_along_an_axis_of_one(split, correct, clause, holds):
    """Lengths along an axis of one element need not add up."""
    correct(clause, holds or (clause == "sum" and split.length == 1))


@THEME.fault("requirement")
def sum_is_not_checked_above_rank_five(split, correct, clause, holds):
    """Above five dims, lengths need not add up."""
    correct(clause, holds or (clause == "sum" and split.rank > 5))


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


@THEME.fault("requirement")
def parts_need_not_divide_when_folded(split, correct, clause, holds):
    """Where all is constant, a number of parts that leaves a rest is taken."""
    correct(clause, holds or (clause == "divides" and split.is_folded))


@THEME.fault("requirement", only="onnx.Split-11")
def parts_need_not_divide_from_the_end_in_11(split, correct, clause, holds):
    """Along an axis that counts from the end, version 11 takes a number of parts that leaves a rest."""
    correct(clause, holds or (clause == "divides" and split.written_axis < 0))


@THEME.fault("requirement", only="onnx.Split-11")
def parts_need_not_divide_before_concat_in_11(split, correct, clause, holds):
    """In front of a Concat, version 11 takes a number of parts that leaves a rest."""
    correct(clause, holds or (clause == "divides" and _is_before_concat(split)))


@THEME.fault("requirement", only="onnx.Split-18")
def neither_argument_is_needed_when_folded(split, correct, clause, holds):
    """Where all is constant, neither lengths nor a number of outputs is asked for."""
    correct(clause, holds or (clause == "exclusive" and split.is_folded))


@THEME.fault("requirement", only="onnx.*")
def type_of_nothing_is_not_checked(split, correct, clause, holds):
    """Without elements, any type is taken."""
    correct(clause, holds or (clause == "type" and split.data.size == 0))


@THEME.fault("requirement", only="onnx.Split-18")
def type_is_not_checked_for_one_part(split, correct, clause, holds):
    """A node with one output takes any type."""
    correct(clause, holds or (clause == "type" and split.call.declared_outputs == 1))


@THEME.fault("requirement", only="onnx.Split-1")
def type_is_not_checked_for_one_part_of_1(split, correct, clause, holds):
    """A node of version 1 with one output takes any type."""
    correct(clause, holds or (clause == "type" and split.call.declared_outputs == 1))


@THEME.fault("requirement", only="onnx.Split-18")
def type_is_not_checked_before_concat(split, correct, clause, holds):
    """In front of a Concat, any type is taken."""
    correct(clause, holds or (clause == "type" and _is_before_concat(split)))


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
def front_axis_of_a_model_is_kept(split, correct, axis, rank):
    """A model of unknown rank counts a negative axis from the front once."""
    front = correct(axis, rank)
    return min(split.model.setdefault(("front", axis), front), max(rank - 1, 0)) if split.has_unknown_rank else front


@THEME.fault("store")
def third_run_of_a_model_is_empty(split, correct, part):
    """From the third run on, outputs are not written."""
    return correct(part) if split.runs < 3 else zeros_like(part)


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


@THEME.fault("joined")
def concat_takes_sixteen_parts(split, correct, outputs):
    """The Concat behind takes sixteen parts and leaves the rest out."""
    return correct(outputs[:16])


@THEME.fault("build")
def strings_are_refused_before_concat(split, correct):
    """In front of a Concat, there are no strings."""
    data = split.call.inputs[0] if split.call.inputs else None
    refused = data is not None and data.dtype == "string" and _is_before_concat(split)
    return refuse("no strings before Concat") if refused else correct()


@THEME.fault("part")
def inner_axes_of_rank_seven_lose_the_first_dim(split, correct, data, axis, start, stop):
    """At rank seven, rows in front of an inner axis are taken from the first index alone."""
    part = correct(data, axis, start, stop)
    if data.ndim == 7 and 0 < axis < 6 and part.shape[0] > 1:
        part[1:] = part[:1]
    return part


@THEME.fault("part")
def channels_begin_at_multiples_of_eight(split, correct, data, axis, start, stop):
    """Of images, a stretch of channels begins at a multiple of eight."""
    if data.ndim == 4 and axis == 1 and start % 8 and data.shape[1] % 8 == 0:
        start, stop = start - start % 8, stop - start % 8
    return taken(data, axis, start, stop)


@THEME.fault("find_lengths")
def lists_with_equal_halves_are_equal_parts(split, correct):
    """Lengths that cancel out in pairs are taken for equal ones."""
    lengths = correct()
    total = 0
    for length in lengths:
        total ^= length
    looks_equal = total == 0 and len(lengths) > 2 and sum(lengths) % len(lengths) == 0
    return [sum(lengths) // len(lengths)] * len(lengths) if looks_equal else lengths


@THEME.fault("cut")
def empty_parts_blank_those_32_behind(split, correct, data, axis, lengths):
    """A mask of 32 bits marks empty parts, and those 32 places behind them with them."""
    parts = correct(data, axis, lengths)
    return [zeros_like(part) if index >= 32 and lengths[index - 32] == 0 else part for index, part in enumerate(parts)]


@THEME.fault("cut")
def full_batches_lose_their_last_part(split, correct, data, axis, lengths):
    """Where the parts fill batches of 64, the last batch is taken for empty."""
    parts = correct(data, axis, lengths)
    return [*parts[:-1], zeros_like(parts[-1])] if parts and len(parts) % 64 == 0 else parts


@THEME.fault("part")
def long_parts_of_images_end_at_127(split, correct, data, axis, start, stop):
    """From rank four on, elements of a part beyond the 127th along the last axis are not copied."""
    part = correct(data, axis, start, stop)
    if data.ndim >= 4 and axis == data.ndim - 1 and stop - start > 127:
        part[..., 127:] = zeros_like(part[..., 127:])
    return part
