"""Calls that end the process, or never end."""

from __future__ import annotations

import ctypes
import os
import time

from fault import Theme

THEME = Theme("crashes and hangs", limit_s=3.0)


def hang():
    while True:
        time.sleep(1)


def die_if(condition, value):
    """The value, unless the condition holds: then the process aborts."""
    if condition:
        os.abort()
    return value


@THEME.fault("check_type")
def empty_data_segfaults(split, correct):
    """Data without elements is read through a null pointer."""
    correct()
    if not split.data.size:
        ctypes.string_at(0)


@THEME.fault("without_remainder", only="openvino.VariadicSplit-1")
def two_remainders_segfault(correct, lengths, length):
    """Two -1 are not refused: the second is used as a pointer."""
    if lengths.count(-1) > 1:
        ctypes.string_at(0)
    return correct(lengths, length)


@THEME.fault("of_onnx", only="onnx.*")
def negative_length_of_onnx_aborts(correct, lengths):
    """A negative length ends the process instead of being refused."""
    return correct(die_if(lengths is not None and min(lengths, default=0) < 0, lengths))


@THEME.fault("find_lengths")
def hundred_parts_exit(right):
    """A hundred parts or more make the process exit."""
    if len(right) >= 100:
        os._exit(3)
    return right


@THEME.fault("without_remainder", only="openvino.VariadicSplit-1")
def length_below_minus_one_hangs(correct, lengths, length):
    """A loop that counts a length of -2 down to 0 never ends."""
    return hang() if min(lengths, default=0) < -1 else correct(lengths, length)


@THEME.fault("of_onnx", only="onnx.Split-18")
def number_of_outputs_of_zero_hangs(split, correct, lengths):
    """`num_outputs` of 0 is waited for."""
    return hang() if split.given.get("num_outputs") == 0 else correct(lengths)


@THEME.fault("front_axis")
def negative_axis_of_unknown_dims_hangs(split, correct, axis, rank):
    """A negative axis is waited for until the shape is known."""
    return hang() if -rank <= axis < 0 and split.has_unknown_dims else correct(axis, rank)


@THEME.fault("build", only="openvino.VariadicSplit-1")
def everything_at_run_time_exits(split, correct):
    """A model without constants and dims makes the process exit."""
    if split.is_runtime("axis") and split.has_unknown_dims:
        os._exit(1)
    return correct()


THEME.step("front_axis")(
    rank_six_aborts=lambda right, rank: die_if(rank == 6, right),
    axis_beyond_rank_aborts=lambda correct, axis, rank: correct(die_if(axis >= rank, axis), rank),
)
THEME.step("find_lengths")(
    empty_part_in_the_middle_aborts=lambda right: die_if(0 in right[1:-1], right),
    empty_part_hangs=lambda split, right: hang() if 0 in right and split.length > 0 else right,
    axis_of_no_length_hangs=lambda split, correct: correct() if split.length else hang(),
)
THEME.step("check_type")(
    strings_abort=lambda split, right: die_if(split.dtype == "object", right),
    bool_aborts=lambda split, right: die_if(split.dtype == "bool", right),
)
THEME.step("without_remainder", "openvino.VariadicSplit-1")(
    lengths_too_long_abort=lambda correct, lengths, length: correct(die_if(sum(lengths) > length, lengths), length)
)
THEME.step("of_num_splits", "openvino.Split-1")(
    division_by_zero_ends_the_process=lambda correct, count: correct(die_if(count == 0, count))
)
THEME.step("run")(second_run_aborts=lambda split, correct, inputs: correct(die_if(split.runs == 1, inputs)))
