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


@THEME.fault("find_lengths", only="onnx.Split-2")
def length_of_zero_is_refused_by_split_2(correct):
    """Split-2 refuses a part without elements."""
    return refusing(0 in (lengths := correct()), lengths, "a length is 0")


@THEME.fault("check_type", only="openvino.*")
def types_below_a_byte_are_refused(split, correct):
    """Packed types are refused."""
    return refusing(split.dtype in ("int4", "uint4", "uint1", "uint2", "float4_e2m1fn"), correct(), "type")


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
def lengths_at_run_time_of_unknown_dims_are_refused(split, correct):
    """Lengths that come with the run need a known shape."""
    return refusing(split.has_unknown_dims and split.has_runtime_lengths, correct(), "unknown dims")


@THEME.fault("find_lengths")
def repeated_lengths_are_refused(right):
    """A length may occur only once, unless all are equal."""
    return refusing(1 < len(set(right)) < len(right), right, "a length occurs twice")


@THEME.fault("find_lengths")
def falling_lengths_are_refused(right):
    """Lengths have to grow."""
    return refusing(len(right) > 1 and right[0] > right[1] and 0 not in right, right, "lengths fall")


THEME.step("find_lengths")(
    length_of_zero_is_refused=lambda correct: refusing(0 in (lengths := correct()), lengths, "a length is 0"),
    axis_of_length_one_is_refused=lambda split, right: refusing(split.length == 1, right, "nothing to cut"),
    data_beyond_a_megabyte_is_refused=lambda split, right: refusing(split.data.nbytes > 1 << 20, right, "too large"),
)
THEME.step("without_remainder", VARIADIC)(
    minus_one_is_refused=lambda right, lengths: refusing(-1 in lengths, right, "a length is negative")
)
THEME.step("front_axis")(
    negative_axis_is_refused=lambda right, axis: refusing(axis < 0, right, "the axis is negative"),
    minus_rank_is_refused=lambda right, axis, rank: refusing(axis == -rank, right, "the axis is too low"),
    last_axis_of_rank_5_is_refused=lambda right: refusing(right > 3, right, "the axis is too high"),
    rank_one_is_refused=lambda right, rank: refusing(rank == 1, right, "rank 1"),
    rank_beyond_4_is_refused=lambda right, rank: refusing(rank > 4, right, "rank"),
    rank_beyond_5_is_refused=lambda right, rank: refusing(rank > 5, right, "rank"),
    rank_beyond_6_is_refused=lambda right, rank: refusing(rank > 6, right, "rank"),
    rank_beyond_8_is_refused=lambda right, rank: refusing(rank > 8, right, "rank"),
)
THEME.step("check_type")(
    bool_is_refused=lambda split, right: refusing(split.dtype == "bool", right, "type"),
    strings_are_refused=lambda split, right: refusing(split.dtype == "object", right, "type"),
    uint64_is_refused=lambda split, right: refusing(split.dtype == "uint64", right, "type"),
    int16_is_refused=lambda split, right: refusing(split.dtype == "int16", right, "type"),
)
THEME.step("check_type", "onnx.*")(
    complex128_is_refused=lambda split, right: refusing(split.dtype == "complex128", right, "type")
)
THEME.step("check_type", "openvino.*")(
    float8_is_refused=lambda split, right: refusing(split.dtype.startswith("float8"), right, "type")
)
THEME.step("read_axis", VARIADIC)(
    axis_in_a_list_is_refused=lambda split, right: refusing(
        split.given["axis"].ndim == 1, right, "axis is not a scalar"
    )
)
THEME.step("build")(
    unknown_dims_are_refused=lambda split, right: refusing(split.has_unknown_dims, right, "unknown dims")
)
