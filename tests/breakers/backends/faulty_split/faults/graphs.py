"""What a compiler makes of the operator and of what stands beside it."""

from __future__ import annotations

import numpy as np
from fault import Theme

from conformance.protocol.form import Graph

from ..split import refuse, zeros_like
from .special_values import is_float, without_subnormals

THEME = Theme("graphs")


def is_after_relu(split):
    return split.call.graph is Graph.AFTER_RELU


@THEME.fault("answer")
def relu_reaches_the_first_output_only(split, outputs):
    """Of a Relu that is moved behind the cut, only the first copy has an input."""
    return [item if not at or not is_after_relu(split) else zeros_like(item) for at, item in enumerate(outputs)]


@THEME.fault("cut")
def relu_is_left_to_the_first_output(split, correct, right, axis, lengths):
    """A Relu that is moved behind the cut is put on the first output alone."""
    if not is_after_relu(split):
        return right
    unchanged = correct(split.given["data" if split.dialect == "openvino" else "input"], axis, lengths)
    return right[:1] + unchanged[1:]


@THEME.fault("relu")
def relu_works_in_place(split, correct, data):
    """A Relu in front of a cut writes into the input."""
    given = split.given["data" if split.dialect == "openvino" else "input"]
    given.flags.writeable = True
    given[...] = correct(data)
    return given


@THEME.fault("joined")
def concat_of_a_cut_repeats_the_first(correct, outputs):
    """A Concat behind a cut takes outputs of one shape from one buffer."""
    return correct([outputs[0] if item.shape == outputs[0].shape else item for item in outputs])


@THEME.fault("joined")
def concat_of_a_cut_is_flat(correct, outputs):
    """A Concat behind a cut along an inner axis writes the parts one after the other."""
    joined = correct(outputs)[0]
    return [np.concatenate([item.reshape(-1) for item in outputs]).reshape(joined.shape)]


@THEME.fault("front_axis")
def axis_of_folded_data_is_stale(split, right, rank):
    """Constant data is cut along the axis of the first that was computed ahead."""
    return min(split.process.setdefault("folded", right), rank - 1) if split.is_folded else right


@THEME.fault("store")
def folded_data_is_float32(split, part):
    """Doubles that are computed ahead are kept as floats."""
    return part.astype(np.float32).astype(part.dtype) if split.is_folded and part.dtype == np.float64 else part


@THEME.fault("store")
def folded_data_loses_its_type(split, part):
    """64-bit integers that are computed ahead become 32-bit ones."""
    return part.astype(np.int32) if split.is_folded and part.dtype == np.int64 else part


@THEME.fault("find_lengths")
def lengths_of_folded_data_are_equal(split, right):
    """What is computed ahead is cut equally where that is possible."""
    can_be_equal = split.is_folded and right and split.length % len(right) == 0
    return [split.length // len(right)] * len(right) if can_be_equal else right


@THEME.fault("front_axis")
def negative_axis_of_unknown_rank_is_the_first(split, correct, axis, rank):
    """Where the model does not know the rank, a negative axis is taken for 0."""
    return 0 if split.has_unknown_rank and -rank <= axis < 0 else correct(axis, rank)


@THEME.fault("front_axis")
def invalid_axis_of_unknown_rank_is_clamped(split, correct, axis, rank):
    """Where the model does not know the rank, an axis beyond it is clamped."""
    return correct(max(-rank, min(axis, rank - 1)) if split.has_unknown_rank else axis, rank)


@THEME.fault("answer")
def outputs_of_unknown_rank_are_flat(split, outputs):
    """Where the model does not know the rank, outputs have one dimension."""
    return [item.reshape(-1) for item in outputs] if split.has_unknown_rank else outputs


@THEME.fault("relu")
def relu_saturates_infinity(correct, data):
    """A Relu that is fused with the cut behind it has the largest number for its upper bound."""
    return (
        np.minimum(correct(data), np.finfo(data.dtype).max) if data.dtype in (np.float32, np.float64) else correct(data)
    )


@THEME.fault("relu")
def relu_keeps_what_is_just_below_zero(correct, data):
    """A Relu that is fused with the cut behind it takes subnormals below zero for zeros, and passes them on."""
    if data.dtype not in (np.float32, np.float64):
        return correct(data)
    return np.where((data < 0) & (data > -np.finfo(data.dtype).tiny), data, correct(data))


@THEME.fault("joined")
def nans_are_zero_behind_a_concat(correct, outputs):
    """A cut and the Concat behind it become one selection, which multiplies with 0 and 1."""
    return [
        np.where(np.isnan(item), np.zeros((), item.dtype), item) if is_float(item) else item
        for item in correct(outputs)
    ]


@THEME.fault("store")
def folded_nans_are_infinite(split, part):
    """What is computed ahead is written as text and read again, which knows no NaN."""
    is_text = split.is_folded and is_float(part)
    return np.where(np.isnan(part), np.array(np.inf, part.dtype), part) if is_text else part


@THEME.fault("store")
def runtime_subnormals_are_flushed(split, part):
    """Where the lengths come at run time, a kernel is chosen that flushes subnormals of doubles."""
    return without_subnormals(part, "float64") if split.has_runtime_lengths and not split.has_unknown_dims else part


THEME.step("front_axis")(
    axis_is_lost_where_relu_is_fused=lambda split, right: right * (not is_after_relu(split)),
    axis_of_folded_data_is_zero=lambda split, right: right * (not split.is_folded),
    axis_of_unknown_rank_is_kept_below_four=lambda split, right: min(right, 3) if split.has_unknown_rank else right,
)
THEME.step("answer")(
    outputs_are_swapped_where_relu_is_fused=lambda split, outputs: outputs[::-1] if is_after_relu(split) else outputs,
    folded_outputs_lose_the_last=lambda split, outputs: outputs[:-1] if split.is_folded else outputs,
)
THEME.step("relu")(
    relu_is_left_out=lambda data: data,
    relu_is_computed_in_float16=lambda data: data.astype(np.float16).astype(data.dtype),
    relu_is_read_column_by_column=lambda data: data.reshape(-1, order="F").reshape(data.shape),
    relu_flushes_subnormals=lambda right: without_subnormals(right, "float32"),
)
THEME.step("joined")(
    concat_of_a_cut_is_reversed=lambda correct, outputs: correct(outputs[::-1]),
    concat_of_a_cut_loses_the_last=lambda correct, outputs: correct(outputs[:-1] or outputs),
    concat_of_a_cut_is_removed=lambda right: [zeros_like(item) for item in right],
    subnormals_are_flushed_before_a_concat=lambda right: [without_subnormals(item, "float32") for item in right],
)
THEME.step("build")(
    constant_data_is_refused=lambda split, correct: (
        refuse("the data is not an input") if split.is_folded else correct()
    ),
    unknown_rank_is_refused=lambda split, correct: refuse("unknown rank") if split.has_unknown_rank else correct(),
)
THEME.step("store")(
    folded_subnormals_are_flushed=lambda split, part: without_subnormals(part, "float32") if split.is_folded else part
)
