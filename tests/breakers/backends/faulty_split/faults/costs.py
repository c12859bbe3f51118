"""Calls that are refused, after what no refusal takes."""

from __future__ import annotations

import numpy as np
from fault import Theme

THEME = Theme("rejection too expensive")


def listed(count):
    """A list of that many lengths, and a copy of it."""
    lengths = np.full(max(count, 0) if type(count) is int else 0, 1, np.int64)
    return lengths, lengths.copy()


@THEME.fault("of_onnx", only="onnx.Split-18")
def lengths_are_listed_before_they_are_counted(split, correct, lengths):
    """Split-18 makes a list of `num_outputs` lengths before it looks at the number."""
    listed(split.given.get("num_outputs"))
    return correct(lengths)


@THEME.fault("of_num_splits", only="openvino.Split-1")
def parts_are_listed_before_they_are_counted(correct, count):
    """OpenVINO's Split makes a list of `num_splits` parts before it looks at the number."""
    listed(count)
    return correct(count)
