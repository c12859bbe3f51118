"""Calls that must be refused, and are answered: one fault for each demand of each operator."""

from __future__ import annotations

import numpy as np
from fault import Theme

from ..split import is_integer

THEME = Theme("accepted an invalid call")
VARIADIC, SPLIT = "openvino.VariadicSplit-1", "openvino.Split-1"


@THEME.fault("requirement", only=VARIADIC)
def lengths_may_leave_something(split, correct, clause, holds):
    """Lengths that add up to less than the axis are taken."""
    correct(clause, holds or (clause == "sum" and -1 not in split.lengths and sum(split.lengths) < split.length))


@THEME.fault("requirement", only=VARIADIC)
def lengths_may_be_too_long(split, correct, clause, holds):
    """Lengths that add up to more than the axis are taken."""
    correct(clause, holds or (clause == "sum" and -1 not in split.lengths and sum(split.lengths) > split.length))


@THEME.fault("requirement", only=VARIADIC)
def lengths_beside_a_remainder_may_be_too_long(split, correct, clause, holds):
    """Lengths that leave less than nothing for -1 are taken."""
    correct(clause, holds or (clause == "sum" and -1 in split.lengths))


@THEME.fault("requirement", only=VARIADIC)
def two_remainders_are_taken(split, correct, clause, holds):
    """More than one -1 is taken."""
    correct(clause, holds or clause == "two remainders")


@THEME.fault("requirement", only=VARIADIC)
def lengths_below_minus_one_are_taken(split, correct, clause, holds):
    """Any negative length is taken for -1."""
    correct(clause, holds or clause == "below -1")


@THEME.fault("requirement", only=VARIADIC)
def lengths_may_be_a_scalar(split, correct, clause, holds):
    """A length without dimensions is taken for a list of one."""
    correct(clause, holds or (clause == "lengths rank" and split.given["split_lengths"].ndim == 0))


@THEME.fault("requirement", only=VARIADIC)
def lengths_may_be_a_matrix(split, correct, clause, holds):
    """Lengths of rank 2 are flattened."""
    correct(clause, holds or (clause == "lengths rank" and split.given["split_lengths"].ndim == 2))


@THEME.fault("requirement", only=VARIADIC)
def axis_may_be_a_matrix(split, correct, clause, holds):
    """An axis of shape [1, 1] is taken."""
    correct(clause, holds or (clause == "axis shape" and split.given["axis"].shape == (1, 1)))


@THEME.fault("requirement", only=VARIADIC)
def axis_may_have_several_elements(split, correct, clause, holds):
    """Of an axis with several elements, the first is taken."""
    correct(clause, holds or (clause == "axis shape" and split.given["axis"].size > 1))


@THEME.fault("requirement", only=VARIADIC)
def float_axis_is_taken_by_variadic_split(split, correct, clause, holds):
    """A floating-point axis is rounded."""
    correct(clause, holds or clause == "axis type")


@THEME.fault("requirement", only=VARIADIC)
def float_lengths_are_taken_by_variadic_split(split, correct, clause, holds):
    """Floating-point lengths are rounded."""
    correct(clause, holds or clause == "lengths type")


@THEME.fault("requirement", only=VARIADIC)
def variadic_split_takes_surplus_attributes(split, correct, clause, holds):
    """An attribute that the operator does not have is ignored."""
    correct(clause, holds or clause in ("surplus", "role"))


@THEME.fault("requirement", only=SPLIT)
def split_axis_may_have_one_element(split, correct, clause, holds):
    """Split-1 takes an axis of shape [1], as VariadicSplit does."""
    correct(clause, holds or (clause == "axis shape" and split.given["axis"].shape == (1,)))


@THEME.fault("requirement", only=SPLIT)
def split_axis_may_have_several_elements(split, correct, clause, holds):
    """Of an axis with several elements, Split-1 takes the first."""
    correct(clause, holds or (clause == "axis shape" and split.given["axis"].size > 1))


@THEME.fault("requirement", only=SPLIT)
def float_axis_is_taken_by_split(split, correct, clause, holds):
    """Split-1 rounds a floating-point axis."""
    correct(clause, holds or clause == "axis type")


@THEME.fault("requirement", only=SPLIT)
def number_of_splits_need_not_divide(split, correct, clause, holds):
    """Split-1 leaves over what cannot be divided."""
    correct(clause, holds or clause == "divides")


@THEME.fault("requirement", only=SPLIT)
def number_of_splits_may_be_zero(split, correct, clause, holds):
    """Split-1 into no parts gives no outputs."""
    correct(clause, holds or (clause == "count range" and split.given["num_splits"] == 0))


@THEME.fault("requirement", only=SPLIT)
def number_of_splits_may_be_negative(split, correct, clause, holds):
    """Split-1 into less than no parts gives no outputs."""
    correct(clause, holds or (clause == "count range" and split.given["num_splits"] < 0))


@THEME.fault("requirement", only=SPLIT)
def number_of_splits_may_exceed_the_axis(split, correct, clause, holds):
    """Split-1 makes more parts than there are elements."""
    correct(clause, holds or (clause in ("count range", "divides") and split.given["num_splits"] > split.length))


@THEME.fault("requirement", only=SPLIT)
def split_takes_surplus_attributes(split, correct, clause, holds):
    """Split-1 ignores an argument that it does not have."""
    correct(clause, holds or clause in ("surplus", "role"))


@THEME.fault("requirement", only="onnx.Split-1")
def split_1_lengths_may_be_too_long(split, correct, clause, holds):
    """Split-1 takes lengths that add up to more than the axis."""
    correct(clause, holds or (clause == "sum" and sum(split.lengths) > split.length))


@THEME.fault("requirement", only="onnx.Split-2")
def split_2_lengths_may_be_too_long(split, correct, clause, holds):
    """Split-2 takes lengths that add up to more than the axis."""
    correct(clause, holds or (clause == "sum" and sum(split.lengths) > split.length))


@THEME.fault("requirement", only="onnx.Split-11")
def split_11_lengths_may_be_too_long(split, correct, clause, holds):
    """Split-11 takes lengths that add up to more than the axis."""
    correct(clause, holds or (clause == "sum" and sum(split.lengths) > split.length))


@THEME.fault("requirement", only="onnx.Split-13")
def split_13_lengths_may_be_too_long(split, correct, clause, holds):
    """Split-13 takes lengths that add up to more than the axis."""
    correct(clause, holds or (clause == "sum" and sum(split.lengths) > split.length))


@THEME.fault("requirement", only="onnx.Split-18")
def split_18_lengths_may_be_too_long(split, correct, clause, holds):
    """Split-18 takes lengths that add up to more than the axis."""
    correct(clause, holds or (clause == "sum" and sum(split.lengths) > split.length))


@THEME.fault("requirement", only="onnx.Split-11")
def split_11_takes_negative_lengths(split, correct, clause, holds):
    """Split-11 takes a length below 0 where the sum is right."""
    correct(clause, holds or clause == "negative length")


@THEME.fault("requirement", only="onnx.Split-11")
def split_11_takes_another_number_of_lengths(split, correct, clause, holds):
    """Split-11 does not compare the number of lengths with its outputs."""
    correct(clause, holds or (clause == "declared" and bool(split.lengths)))


@THEME.fault("requirement", only="onnx.Split-13")
def split_13_takes_negative_lengths(split, correct, clause, holds):
    """Split-13 takes a length below 0 where the sum is right."""
    correct(clause, holds or clause == "negative length")


@THEME.fault("requirement", only="onnx.Split-13")
def split_13_takes_another_number_of_lengths(split, correct, clause, holds):
    """Split-13 does not compare the number of lengths with its outputs."""
    correct(clause, holds or (clause == "declared" and bool(split.lengths)))


@THEME.fault("requirement", only="onnx.Split-18")
def split_18_takes_negative_lengths(split, correct, clause, holds):
    """Split-18 takes a length below 0 where the sum is right."""
    correct(clause, holds or clause == "negative length")


@THEME.fault("requirement", only="onnx.Split-18")
def split_18_takes_another_number_of_lengths(split, correct, clause, holds):
    """Split-18 does not compare the number of lengths with its outputs."""
    correct(clause, holds or (clause == "declared" and bool(split.lengths)))


@THEME.fault("requirement", only="onnx.Split-13")
def split_13_lengths_may_leave_something(split, correct, clause, holds):
    """Split-13 takes lengths that add up to less than the axis."""
    correct(clause, holds or (clause == "sum" and sum(split.lengths) < split.length))


@THEME.fault("check_arguments", only="onnx.Split-13")
def split_13_ignores_lengths_in_an_attribute(split, correct):
    """Split-13 does not see lengths where earlier versions have them, and makes equal parts."""
    if not isinstance(split.given.get("split"), np.ndarray):
        split.given.pop("split", None)
    correct()


@THEME.fault("requirement", only="onnx.Split-13")
def split_13_takes_int32_lengths(split, correct, clause, holds):
    """Split-13 takes lengths of 32 bits."""
    correct(clause, holds or (clause == "lengths type" and split.given["split"].dtype == np.int32))


@THEME.fault("requirement", only="onnx.Split-18")
def split_18_lengths_may_leave_something(split, correct, clause, holds):
    """Split-18 takes lengths that add up to less than the axis."""
    correct(clause, holds or (clause == "sum" and sum(split.lengths) < split.length))


@THEME.fault("requirement", only="onnx.Split-18")
def split_18_takes_int32_lengths(split, correct, clause, holds):
    """Split-18 takes lengths of 32 bits."""
    correct(clause, holds or (clause == "lengths type" and split.given["split"].dtype == np.int32))


@THEME.fault("requirement", only="onnx.Split-1")
def split_1_need_not_divide(split, correct, clause, holds):
    """Split-1 leaves over what cannot be divided."""
    correct(clause, holds or clause == "divides")


@THEME.fault("requirement", only="onnx.Split-2")
def split_2_need_not_divide(split, correct, clause, holds):
    """Split-2 leaves over what cannot be divided."""
    correct(clause, holds or clause == "divides")


@THEME.fault("requirement", only="onnx.Split-11")
def split_11_need_not_divide(split, correct, clause, holds):
    """Split-11 leaves over what cannot be divided."""
    correct(clause, holds or clause == "divides")


@THEME.fault("requirement", only="onnx.Split-13")
def split_13_need_not_divide(split, correct, clause, holds):
    """Split-13 leaves over what cannot be divided."""
    correct(clause, holds or clause == "divides")


@THEME.fault("requirement", only="onnx.Split-18")
def split_18_takes_both(split, correct, clause, holds):
    """Split-18 takes lengths and their number together."""
    correct(clause, holds or (clause == "exclusive" and split.given.get("split") is not None))


@THEME.fault("requirement", only="onnx.Split-18")
def split_18_takes_neither(split, correct, clause, holds):
    """Split-18 counts its outputs where neither lengths nor their number are given."""
    correct(clause, holds or (clause == "exclusive" and split.given.get("split") is None))


@THEME.fault("requirement", only="onnx.Split-18")
def split_18_ignores_its_outputs(split, correct, clause, holds):
    """Split-18 does not compare `num_outputs` with the outputs of the node."""
    correct(clause, holds or (clause == "declared" and not split.lengths))


@THEME.fault("requirement", only="onnx.Split-18")
def split_18_may_make_no_outputs(split, correct, clause, holds):
    """Split-18 takes `num_outputs` of 0."""
    correct(clause, holds or (clause in ("count range", "declared") and split.given.get("num_outputs") == 0))


@THEME.fault("requirement", only="onnx.Split-18")
def split_18_takes_a_negative_number(split, correct, clause, holds):
    """Split-18 takes a negative `num_outputs`."""
    correct(clause, holds or (clause in ("count range", "declared") and split.given.get("num_outputs", 0) < 0))


@THEME.fault("requirement", only="onnx.Split-1")
def split_1_takes_any_type(split, correct, clause, holds):
    """Split-1 takes integers as data."""
    correct(clause, holds or clause == "type")


@THEME.fault("requirement", only="onnx.Split-2")
def split_2_takes_bfloat16(split, correct, clause, holds):
    """Split-2 takes a type that came with version 13."""
    correct(clause, holds or clause == "type")


@THEME.fault("requirement", only="onnx.Split-11")
def split_11_takes_bfloat16(split, correct, clause, holds):
    """Split-11 takes a type that came with version 13."""
    correct(clause, holds or clause == "type")


@THEME.fault("requirement", only="onnx.Split-13")
def split_13_takes_any_type(split, correct, clause, holds):
    """Split-13 takes types that are not in its list."""
    correct(clause, holds or clause == "type")


@THEME.fault("requirement", only="onnx.Split-18")
def split_18_takes_any_type(split, correct, clause, holds):
    """Split-18 takes types that are not in its list."""
    correct(clause, holds or clause == "type")


@THEME.fault("requirement", only="onnx.Split-2")
def split_2_takes_lengths_as_an_input(split, correct, clause, holds):
    """Split-2 takes lengths as a second input."""
    correct(clause, holds or clause == "role")


@THEME.fault("requirement", only="onnx.Split-11")
def split_11_takes_lengths_as_an_input(split, correct, clause, holds):
    """Split-11 takes lengths as a second input, as version 13."""
    correct(clause, holds or clause == "role")


@THEME.fault("requirement", only="onnx.Split-13")
def split_13_takes_lengths_as_an_attribute(split, correct, clause, holds):
    """Split-13 takes the attribute of version 11."""
    correct(clause, holds or (clause == "role" and isinstance(split.given.get("split"), (list, tuple))))


@THEME.fault("requirement", only="onnx.Split-18")
def split_18_takes_lengths_as_an_attribute(split, correct, clause, holds):
    """Split-18 takes the attribute of version 11."""
    correct(clause, holds or (clause == "role" and isinstance(split.given.get("split"), (list, tuple))))


@THEME.fault("requirement", only="onnx.Split-13")
def split_13_ignores_num_outputs(split, correct, clause, holds):
    """Split-13 ignores the attribute that came with version 18."""
    is_surplus = clause in ("surplus", "role") and "num_outputs" in split.given
    correct(clause, holds or is_surplus)


@THEME.fault("requirement", only="onnx.Split-11")
def split_11_ignores_num_outputs(split, correct, clause, holds):
    """Split-11 ignores the attribute that came with version 18."""
    is_surplus = clause in ("surplus", "role") and "num_outputs" in split.given
    correct(clause, holds or is_surplus)


@THEME.fault("requirement", only="onnx.Split-1")
def split_1_takes_lengths_of_another_type(split, correct, clause, holds):
    """Split-1 takes int64 lengths beside floating-point data."""
    correct(clause, holds or (clause == "lengths type" and is_integer(np.asarray(split.given.get("split")))))


@THEME.fault("requirement", only="onnx.Split-1")
def split_1_rounds_fractions(split, correct, clause, holds):
    """Split-1 rounds lengths that are no whole numbers."""
    correct(clause, holds or (clause == "lengths type" and np.asarray(split.given.get("split")).dtype.kind == "f"))


@THEME.fault("requirement", only="*")
def invalid_lengths_at_run_time_are_taken(split, correct, clause, holds):
    """Lengths that come with the run are not checked."""
    correct(clause, holds or (clause == "sum" and split.has_runtime_lengths))


@THEME.fault("requirement", only="*")
def invalid_lengths_of_unknown_dims_are_taken(split, correct, clause, holds):
    """Where the model does not know the shape, the sum is not checked."""
    correct(clause, holds or (clause == "sum" and split.has_unknown_dims))


@THEME.fault("requirement", only="*")
def constant_lengths_of_unknown_dims_may_leave_something(split, correct, clause, holds):
    """Constant lengths that leave something of an unknown dim are taken."""
    is_unknown = split.has_unknown_dims and not split.has_runtime_lengths
    correct(clause, holds or (clause == "sum" and is_unknown and sum(split.lengths) < split.length))


@THEME.fault("requirement", only="*")
def equal_parts_of_unknown_dims_need_not_divide(split, correct, clause, holds):
    """Where the model does not know the shape, divisibility is not checked."""
    correct(clause, holds or (clause == "divides" and split.has_unknown_dims))


@THEME.fault("front_axis", only=VARIADIC)
def axis_of_variadic_split_is_clamped(split, correct, axis, rank):
    """VariadicSplit clamps an axis beyond the last dimension."""
    return correct(max(-rank, min(axis, rank - 1)), rank)


@THEME.fault("front_axis", only=SPLIT)
def axis_of_openvino_split_wraps(split, correct, axis, rank):
    """OpenVINO's Split takes an axis beyond the last dimension modulo the rank."""
    return correct(axis % rank if rank and axis >= rank else axis, rank)


@THEME.fault("front_axis", only="onnx.Split-1")
def axis_of_split_1_wraps(split, correct, axis, rank):
    """Split-1 takes an axis beyond the last dimension modulo the rank."""
    return correct(axis % rank if rank and axis >= rank else axis, rank)


@THEME.fault("front_axis", only="onnx.Split-2")
def axis_of_split_2_wraps(split, correct, axis, rank):
    """Split-2 takes an axis beyond the last dimension modulo the rank."""
    return correct(axis % rank if rank and axis >= rank else axis, rank)


@THEME.fault("front_axis", only="onnx.Split-11")
def axis_of_split_11_wraps(split, correct, axis, rank):
    """Split-11 takes an axis beyond the last dimension modulo the rank."""
    return correct(axis % rank if rank and axis >= rank else axis, rank)


@THEME.fault("front_axis", only="onnx.Split-13")
def axis_of_split_13_wraps(split, correct, axis, rank):
    """Split-13 takes an axis beyond the last dimension modulo the rank."""
    return correct(axis % rank if rank and axis >= rank else axis, rank)


@THEME.fault("front_axis", only="onnx.Split-18")
def axis_of_split_18_wraps(split, correct, axis, rank):
    """Split-18 takes an axis beyond the last dimension modulo the rank."""
    return correct(axis % rank if rank and axis >= rank else axis, rank)


@THEME.fault("front_axis")
def axis_below_minus_rank_wraps(split, correct, axis, rank):
    """An axis below -rank is taken modulo the rank."""
    return correct(axis % rank if rank and axis < -rank else axis, rank)


@THEME.fault("front_axis")
def axis_of_rank_is_the_last(split, correct, axis, rank):
    """The check is off by one: an axis equal to the rank is let through."""
    return correct(axis - (axis == rank), rank)


@THEME.fault("front_axis")
def axis_below_minus_rank_by_one_is_the_first(split, correct, axis, rank):
    """The check is off by one: an axis of -rank - 1 is let through."""
    return correct(axis + (axis == -rank - 1), rank)


@THEME.fault("front_axis", only="openvino.*")
def invalid_axis_at_run_time_is_clamped(split, correct, axis, rank):
    """An axis that comes with the run is clamped."""
    return correct(max(-rank, min(axis, rank - 1)) if split.is_runtime("axis") else axis, rank)


@THEME.fault("without_remainder", only=VARIADIC)
def lengths_add_up_modulo_32_bits(split, correct, lengths, length):
    """The sum of the lengths is kept in 32 bits."""
    total = sum(lengths)
    if -1 not in lengths and total != length and total % 2**32 == length:
        return [min(item, length) for item in lengths]
    return correct(lengths, length)


@THEME.fault("of_onnx", only="onnx.*")
def lengths_of_onnx_add_up_modulo_64_bits(split, correct, lengths):
    """The sum of the lengths is kept in 64 bits."""
    total = sum(lengths or [])
    if lengths and total != split.length and total % 2**64 == split.length:
        return [min(max(item, 0), split.length) for item in lengths]
    return correct(lengths)


@THEME.fault("without_remainder", only=VARIADIC)
def lengths_add_up_modulo_64_bits(split, correct, lengths, length):
    """The sum of the lengths is kept in 64 bits."""
    total = sum(lengths)
    if -1 not in lengths and total != length and total % 2**64 == length:
        return [min(item, length) for item in lengths]
    return correct(lengths, length)


@THEME.fault("of_onnx", only="onnx.*")
def minus_one_is_a_remainder_in_onnx(split, correct, lengths):
    """ONNX's Split takes -1 for what remains, as VariadicSplit does."""
    if not lengths or lengths.count(-1) != 1:
        return correct(lengths)
    rest = split.length - sum(lengths) - 1
    return correct([rest if item == -1 else item for item in lengths])


@THEME.fault("front_axis", only="onnx.Split-18")
def rank_zero_is_taken_by_split_18(split, correct, axis, rank):
    """A scalar is taken for a vector of one element."""
    if rank:
        return correct(axis, rank)
    split.data = split.data.reshape(1)
    return correct(axis, 1)


@THEME.fault("front_axis", only=VARIADIC)
def rank_zero_is_taken_by_variadic_split(split, correct, axis, rank):
    """A scalar is taken for a vector of one element."""
    if rank:
        return correct(axis, rank)
    split.data = split.data.reshape(1)
    return correct(axis, 1)


@THEME.fault("requirement", only=VARIADIC)
def lengths_may_be_the_one_number_of_one_output(split, correct, clause, holds):
    """One number is taken for a list of it where the node declares one output."""
    is_only = clause == "lengths rank" and split.given["split_lengths"].ndim == 0 and split.call.declared_outputs == 1
    correct(clause, holds or is_only)


@THEME.fault("requirement", only="onnx.Split-1[38]")
def scalar_lengths_of_onnx_may_leave_something(split, correct, clause, holds):
    """One number is taken for a list of it, and not compared with the axis."""
    is_scalar = isinstance(split.given.get("split"), np.ndarray) and split.given["split"].ndim == 0
    correct(clause, holds or (is_scalar and clause in ("lengths rank", "sum", "negative length", "declared")))
