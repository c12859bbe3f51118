"""One version, or one operator, taken for another."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from fault import Theme

from ..split import refuse

THEME = Theme("versions")


def is_equal_instead(split, right):
    """Equal lengths in the number of those given, where the axis can be divided."""
    count = len(right)
    return [split.length // count] * count if count and split.length % count == 0 else right


@THEME.fault("read_lengths", only="onnx.Split-1")
def split_1_cuts_equally_with_lengths_as_an_input(split, correct):
    """Split-1 does not look at its second input."""
    return None if isinstance(split.given.get("split"), np.ndarray) else correct()


@THEME.fault("front_axis", only="onnx.Split-11")
def split_11_refuses_a_negative_axis(correct, axis, rank):
    """Split-11 counts from the front only, as version 2."""
    return correct(axis, rank) if axis >= 0 else refuse("negative axis")


@THEME.fault("check_type", only="onnx.Split-2")
def split_2_takes_floats_only(split, correct):
    """Split-2 has the types of version 1."""
    return correct() if split.dtype.startswith("float") else refuse("no float")


@THEME.fault("of_onnx", only="onnx.Split-18")
def split_18_demands_the_number_with_lengths(correct, lengths):
    """Split-18 demands `num_outputs` even where lengths are given."""
    return correct(lengths) if lengths is None else refuse("num_outputs is missing")


@THEME.fault("of_onnx", only="onnx.Split-13")
def split_13_demands_lengths(correct, lengths):
    """Split-13 does not make equal parts of itself."""
    return correct(lengths) if lengths is not None else refuse("split is missing")


@THEME.fault("of_num_splits", only="openvino.Split-1")
def number_of_splits_is_their_length(split, correct, count):
    """`num_splits` is taken for the length of each part."""
    correct(count)
    return [count] * (split.length // count)


@THEME.fault("of_num_splits", only="openvino.Split-1")
def number_of_splits_is_two(split, correct, count):
    """`num_splits` is not read where the axis is even."""
    correct(count)
    return [split.length // 2] * 2 if split.length % 2 == 0 and count > 1 else [split.length // count] * count


@THEME.fault("of_onnx", only="onnx.*")
def lengths_are_positions(split, correct, lengths):
    """Lengths are taken for the places to cut at, as in NumPy's split."""
    if not correct(lengths) or lengths is None:
        return correct(lengths)
    places = [0, *(min(item, split.length) for item in lengths), split.length]
    return [max(stop - start, 0) for start, stop in pairwise(places)]


@THEME.fault("read_lengths", only="onnx.Split-18")
def split_18_takes_the_number_before_lengths(split, right):
    """Split-18 counts the lengths, and makes as many equal parts of an axis of 6 or more."""
    return is_equal_instead(split, right) if right and split.length >= 6 else right


@THEME.fault("read_lengths", only="onnx.Split-13")
def lengths_at_run_time_are_ignored_by_split_13(split, right):
    """Where lengths come with the run, the declared outputs share equally."""
    return is_equal_instead(split, right) if right and split.is_runtime("split") else right


THEME.step("check_type", "onnx.Split-13")(
    split_13_refuses_bfloat16=lambda split, correct: correct() if split.dtype != "bfloat16" else refuse("bfloat16")
)
THEME.step("without_remainder", "openvino.VariadicSplit-1")(
    lengths_are_ends=lambda right: [max(stop - start, 0) for start, stop in pairwise([0, *right])]
)
for _version in (1, 2, 11, 13, 18):
    THEME.step("of_onnx", f"onnx.Split-{_version}")(**{f"split_{_version}_ignores_lengths": is_equal_instead})
