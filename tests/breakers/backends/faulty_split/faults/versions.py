"""One version, or one operator, taken for another."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from fault import Theme

from ..split import refuse

THEME = Theme("versions")


def is_equal_instead(split, lengths):
    """Equal lengths in the number of those given, where the axis can be divided."""
    count = len(lengths)
    return [split.length // count] * count if count and split.length % count == 0 else lengths


@THEME.fault("of_onnx", only="onnx.Split-1")
def split_1_ignores_lengths(split, correct, lengths):
    """Split-1 makes equal parts although lengths are given."""
    return is_equal_instead(split, correct(lengths))


@THEME.fault("of_onnx", only="onnx.Split-2")
def split_2_ignores_lengths(split, correct, lengths):
    """Split-2 makes equal parts although lengths are given."""
    return is_equal_instead(split, correct(lengths))


@THEME.fault("of_onnx", only="onnx.Split-11")
def split_11_ignores_lengths(split, correct, lengths):
    """Split-11 makes equal parts although lengths are given."""
    return is_equal_instead(split, correct(lengths))


@THEME.fault("of_onnx", only="onnx.Split-13")
def split_13_ignores_lengths(split, correct, lengths):
    """Split-13 looks for the attribute of version 11 and makes equal parts."""
    return is_equal_instead(split, correct(lengths))


@THEME.fault("of_onnx", only="onnx.Split-18")
def split_18_ignores_lengths(split, correct, lengths):
    """Split-18 makes equal parts although lengths are given."""
    return is_equal_instead(split, correct(lengths))


@THEME.fault("read_lengths", only="onnx.Split-1")
def split_1_cuts_equally_with_lengths_as_an_input(split, correct):
    """Split-1 does not look at its second input."""
    return None if isinstance(split.given.get("split"), np.ndarray) else correct()


@THEME.fault("front_axis", only="onnx.Split-11")
def split_11_refuses_a_negative_axis(split, correct, axis, rank):
    """Split-11 counts from the front only, as version 2."""
    return correct(axis, rank) if axis >= 0 else refuse("negative axis")


@THEME.fault("check_type", only="onnx.Split-13")
def split_13_refuses_bfloat16(split, correct):
    """Split-13 has the types of version 11."""
    return correct() if split.dtype != "bfloat16" else refuse("bfloat16")


@THEME.fault("check_type", only="onnx.Split-2")
def split_2_takes_floats_only(split, correct):
    """Split-2 has the types of version 1."""
    return correct() if split.dtype.startswith("float") else refuse("no float")


@THEME.fault("of_onnx", only="onnx.Split-18")
def split_18_demands_the_number_with_lengths(split, correct, lengths):
    """Split-18 demands `num_outputs` even where lengths are given."""
    return correct(lengths) if lengths is None else refuse("num_outputs is missing")


@THEME.fault("of_onnx", only="onnx.Split-13")
def split_13_demands_lengths(split, correct, lengths):
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


@THEME.fault("without_remainder", only="openvino.VariadicSplit-1")
def lengths_are_ends(split, correct, lengths, length):
    """Each length but the first is taken for the place where its part ends."""
    resolved = correct(lengths, length)
    return [max(stop - start, 0) for start, stop in pairwise([0, *resolved])]


@THEME.fault("read_lengths", only="onnx.Split-18")
def split_18_takes_the_number_before_lengths(split, correct):
    """Split-18 counts the lengths, and makes as many equal parts of an axis of 6 or more."""
    lengths = correct()
    return is_equal_instead(split, lengths) if lengths and split.length >= 6 else lengths


@THEME.fault("read_lengths", only="onnx.Split-13")
def lengths_at_run_time_are_ignored_by_split_13(split, correct):
    """Where lengths come with the run, the declared outputs share equally."""
    lengths = correct()
    return is_equal_instead(split, lengths) if lengths and split.is_runtime("split") else lengths
