"""Calls that are valid, and are refused."""

from __future__ import annotations

import numpy as np
from fault import Theme

from ..split import refuse

THEME = Theme("refused though valid")
VARIADIC = "openvino.VariadicSplit-1"


def refusing(condition, value, why):
    """The value, unless the condition holds."""
    return refuse(why) if condition else value


@THEME.fault("find_lengths")
def length_of_zero_is_refused(split, correct):
    """A part without elements is refused."""
    return refusing(0 in (lengths := correct()), lengths, "a length is 0")


@THEME.fault("find_lengths", only="onnx.Split-2")
def length_of_zero_is_refused_by_split_2(split, correct):
    """Split-2 refuses a part without elements."""
    return refusing(0 in (lengths := correct()), lengths, "a length is 0")


@THEME.fault("without_remainder", only=VARIADIC)
def minus_one_is_refused(split, correct, lengths, length):
    """Lengths may not be negative."""
    return refusing(-1 in lengths, correct(lengths, length), "a length is negative")


@THEME.fault("front_axis")
def negative_axis_is_refused(split, correct, axis, rank):
    """The axis may not be negative."""
    return refusing(axis < 0, correct(axis, rank), "the axis is negative")


@THEME.fault("front_axis")
def minus_rank_is_refused(split, correct, axis, rank):
    """The check is off by one: -rank is refused."""
    return refusing(axis == -rank, correct(axis, rank), "the axis is too low")


@THEME.fault("front_axis")
def last_axis_of_rank_5_is_refused(split, correct, axis, rank):
    """The check of the axis stops at 3."""
    return refusing(correct(axis, rank) > 3, correct(axis, rank), "the axis is too high")


@THEME.fault("front_axis")
def rank_one_is_refused(split, correct, axis, rank):
    """Vectors are refused."""
    return refusing(rank == 1, correct(axis, rank), "rank 1")


@THEME.fault("front_axis")
def rank_beyond_4_is_refused(split, correct, axis, rank):
    """Four dimensions are the most."""
    return refusing(rank > 4, correct(axis, rank), "rank")


@THEME.fault("front_axis")
def rank_beyond_5_is_refused(split, correct, axis, rank):
    """Five dimensions are the most."""
    return refusing(rank > 5, correct(axis, rank), "rank")


@THEME.fault("front_axis")
def rank_beyond_6_is_refused(split, correct, axis, rank):
    """Six dimensions are the most."""
    return refusing(rank > 6, correct(axis, rank), "rank")


@THEME.fault("front_axis")
def rank_beyond_8_is_refused(split, correct, axis, rank):
    """Eight dimensions are the most."""
    return refusing(rank > 8, correct(axis, rank), "rank")


@THEME.fault("check_type")
def bool_is_refused(split, correct):
    """Truth values are refused."""
    return refusing(split.dtype == "bool", correct(), "type")


@THEME.fault("check_type")
def strings_are_refused(split, correct):
    """Texts are refused."""
    return refusing(split.dtype == "object", correct(), "type")


@THEME.fault("check_type")
def uint64_is_refused(split, correct):
    """Unsigned 64-bit integers are refused."""
    return refusing(split.dtype == "uint64", correct(), "type")


@THEME.fault("check_type")
def int16_is_refused(split, correct):
    """16-bit integers are refused."""
    return refusing(split.dtype == "int16", correct(), "type")


@THEME.fault("check_type", only="onnx.*")
def complex128_is_refused(split, correct):
    """Double-precision complex numbers are refused."""
    return refusing(split.dtype == "complex128", correct(), "type")


@THEME.fault("check_type", only="openvino.*")
def types_below_a_byte_are_refused(split, correct):
    """Packed types are refused."""
    return refusing(split.dtype in ("int4", "uint4", "uint1", "uint2", "float4_e2m1fn"), correct(), "type")


@THEME.fault("check_type", only="openvino.*")
def float8_is_refused(split, correct):
    """Floating-point types of 8 bits are refused."""
    return refusing(split.dtype.startswith("float8"), correct(), "type")


@THEME.fault("read_axis", only=VARIADIC)
def axis_in_a_list_is_refused(split, correct):
    """An axis of shape [1] is refused."""
    return refusing(split.given["axis"].ndim == 1, correct(), "axis is no scalar")


@THEME.fault("read_axis", only="openvino.*")
def axis_of_int8_is_refused(split, correct):
    """An 8-bit axis is refused."""
    return refusing(split.given["axis"].dtype == np.int8, correct(), "type of the axis")


@THEME.fault("read_axis", only="openvino.*")
def unsigned_axis_is_refused(split, correct):
    """An unsigned axis is refused."""
    return refusing(split.given["axis"].dtype.kind == "u", correct(), "type of the axis")


@THEME.fault("read_lengths", only=VARIADIC)
def lengths_of_int16_are_refused(split, correct):
    """16-bit lengths are refused."""
    return refusing(split.given["split_lengths"].dtype == np.int16, correct(), "type of the lengths")


@THEME.fault("read_lengths", only=VARIADIC)
def lengths_of_uint64_are_refused(split, correct):
    """Unsigned 64-bit lengths are refused."""
    return refusing(split.given["split_lengths"].dtype == np.uint64, correct(), "type of the lengths")


@THEME.fault("read_lengths", only=VARIADIC)
def lengths_of_another_type_than_the_axis_are_refused(split, correct):
    """Axis and lengths have to be of one type."""
    return refusing(split.given["axis"].dtype != split.given["split_lengths"].dtype, correct(), "two types")


@THEME.fault("build", only="openvino.*")
def axis_at_run_time_is_refused(split, correct):
    """The axis has to be a constant."""
    return refusing(split.is_runtime("axis"), correct(), "the axis is no constant")


@THEME.fault("build")
def lengths_at_run_time_are_refused(split, correct):
    """The lengths have to be constants."""
    return refusing(split.has_runtime_lengths, correct(), "the lengths are no constants")


@THEME.fault("build")
def unknown_dims_are_refused(split, correct):
    """The model has to know the shape."""
    return refusing(split.has_unknown_dims, correct(), "unknown dims")


@THEME.fault("build")
def lengths_at_run_time_of_unknown_dims_are_refused(split, correct):
    """Lengths that come with the run need a known shape."""
    return refusing(split.has_unknown_dims and split.has_runtime_lengths, correct(), "unknown dims")


@THEME.fault("find_lengths")
def axis_of_length_one_is_refused(split, correct):
    """A single element is not cut."""
    return refusing(split.length == 1, correct(), "nothing to cut")


@THEME.fault("find_lengths")
def data_beyond_a_megabyte_is_refused(split, correct):
    """Data of more than 2**20 bytes is refused."""
    return refusing(split.data.nbytes > 1 << 20, correct(), "too large")


@THEME.fault("find_lengths")
def repeated_lengths_are_refused(split, correct):
    """A length may occur only once, unless all are equal."""
    lengths = correct()
    return refusing(1 < len(set(lengths)) < len(lengths), lengths, "a length occurs twice")


@THEME.fault("find_lengths")
def falling_lengths_are_refused(split, correct):
    """Lengths have to grow."""
    lengths = correct()
    return refusing(len(lengths) > 1 and lengths[0] > lengths[1] and 0 not in lengths, lengths, "lengths fall")
