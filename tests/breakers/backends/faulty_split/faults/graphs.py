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


@THEME.fault("front_axis")
def axis_is_lost_where_relu_is_fused(split, correct, axis, rank):
    """A cut that is fused with the Relu before it is along the first axis."""
    return correct(axis, rank) * (not is_after_relu(split))


@THEME.fault("answer")
def outputs_are_swapped_where_relu_is_fused(split, correct, outputs):
    """A Relu that is moved behind the cut reconnects the outputs in reverse."""
    return outputs[::-1] if is_after_relu(split) else outputs


@THEME.fault("answer")
def relu_reaches_the_first_output_only(split, correct, outputs):
    """Of a Relu that is moved behind the cut, only the first copy has an input."""
    return [item if not at or not is_after_relu(split) else zeros_like(item) for at, item in enumerate(outputs)]


@THEME.fault("relu")
def relu_is_left_out(split, correct, data):
    """A Relu in front of a cut is taken for one that changes nothing."""
    return data


@THEME.fault("cut")
def relu_is_left_to_the_first_output(split, correct, data, axis, lengths):
    """A Relu that is moved behind the cut is put on the first output alone."""
    parts = correct(data, axis, lengths)
    if not is_after_relu(split):
        return parts
    unchanged = correct(split.given["data" if split.dialect == "openvino" else "input"], axis, lengths)
    return parts[:1] + unchanged[1:]


@THEME.fault("relu")
def relu_works_in_place(split, correct, data):
    """A Relu in front of a cut writes into the input."""
    given = split.given["data" if split.dialect == "openvino" else "input"]
    given.flags.writeable = True
    given[...] = correct(data)
    return given


@THEME.fault("relu")
def relu_is_computed_in_float16(split, correct, data):
    """A Relu in front of a cut is computed in half precision."""
    return data.astype(np.float16).astype(data.dtype)


@THEME.fault("relu")
def relu_is_read_column_by_column(split, correct, data):
    """The layout that the Relu asked for is not undone before the cut."""
    return data.reshape(-1, order="F").reshape(data.shape)


@THEME.fault("joined")
def concat_of_a_cut_is_reversed(split, correct, outputs):
    """A Concat behind a cut takes the outputs in reverse."""
    return correct(outputs[::-1])


@THEME.fault("joined")
def concat_of_a_cut_loses_the_last(split, correct, outputs):
    """A Concat behind a cut does not take the last output."""
    return correct(outputs[:-1] or outputs)


@THEME.fault("joined")
def concat_of_a_cut_repeats_the_first(split, correct, outputs):
    """A Concat behind a cut takes outputs of one shape from one buffer."""
    return correct([outputs[0] if item.shape == outputs[0].shape else item for item in outputs])


@THEME.fault("joined")
def concat_of_a_cut_is_flat(split, correct, outputs):
    """A Concat behind a cut along an inner axis writes the parts one after the other."""
    joined = correct(outputs)[0]
    return [np.concatenate([item.reshape(-1) for item in outputs]).reshape(joined.shape)]


@THEME.fault("joined")
def concat_of_a_cut_is_removed(split, correct, outputs):
    """Cut and Concat cancel out only in the shape: the result is never written."""
    return [zeros_like(item) for item in correct(outputs)]


@THEME.fault("front_axis")
def axis_of_folded_data_is_zero(split, correct, axis, rank):
    """Constant data is cut along the first axis when it is computed ahead."""
    return correct(axis, rank) * (not split.is_folded)


@THEME.fault("front_axis")
def axis_of_folded_data_is_stale(split, correct, axis, rank):
    """Constant data is cut along the axis of the first that was computed ahead."""
    found = correct(axis, rank)
    return min(split.process.setdefault("folded", found), rank - 1) if split.is_folded else found


@THEME.fault("store")
def folded_data_is_float32(split, correct, part):
    """Doubles that are computed ahead are kept as floats."""
    return part.astype(np.float32).astype(part.dtype) if split.is_folded and part.dtype == np.float64 else part


@THEME.fault("store")
def folded_data_loses_its_type(split, correct, part):
    """64-bit integers that are computed ahead become 32-bit ones."""
    return part.astype(np.int32) if split.is_folded and part.dtype == np.int64 else part


@THEME.fault("answer")
def folded_outputs_lose_the_last(split, correct, outputs):
    """The last output of what is computed ahead is left out."""
    return outputs[:-1] if split.is_folded else outputs


@THEME.fault("find_lengths")
def lengths_of_folded_data_are_equal(split, correct):
    """What is computed ahead is cut equally where that is possible."""
    lengths = correct()
    can_be_equal = split.is_folded and lengths and split.length % len(lengths) == 0
    return [split.length // len(lengths)] * len(lengths) if can_be_equal else lengths


@THEME.fault("build")
def constant_data_is_refused(split, correct):
    """Data that is a part of the model is refused."""
    return refuse("the data is no input") if split.is_folded else correct()


@THEME.fault("build")
def unknown_rank_is_refused(split, correct):
    """The model has to know how many dims there are."""
    return refuse("unknown rank") if split.has_unknown_rank else correct()


@THEME.fault("front_axis")
def negative_axis_of_unknown_rank_is_the_first(split, correct, axis, rank):
    """Where the model does not know the rank, a negative axis is taken for 0."""
    return 0 if split.has_unknown_rank and -rank <= axis < 0 else correct(axis, rank)


@THEME.fault("front_axis")
def axis_of_unknown_rank_is_kept_below_four(split, correct, axis, rank):
    """Where the model does not know the rank, it assumes four dimensions."""
    return min(correct(axis, rank), 3) if split.has_unknown_rank else correct(axis, rank)


@THEME.fault("front_axis")
def invalid_axis_of_unknown_rank_is_clamped(split, correct, axis, rank):
    """Where the model does not know the rank, an axis beyond it is clamped."""
    return correct(max(-rank, min(axis, rank - 1)) if split.has_unknown_rank else axis, rank)


@THEME.fault("answer")
def outputs_of_unknown_rank_are_flat(split, correct, outputs):
    """Where the model does not know the rank, outputs have one dimension."""
    return [item.reshape(-1) for item in outputs] if split.has_unknown_rank else outputs


@THEME.fault("relu")
def relu_flushes_subnormals(split, correct, data):
    """A Relu that is fused with the cut behind it is computed with subnormals flushed to zero."""
    return without_subnormals(correct(data), "float32")


@THEME.fault("relu")
def relu_saturates_infinity(split, correct, data):
    """A Relu that is fused with the cut behind it has the largest number for its upper bound."""
    return (
        np.minimum(correct(data), np.finfo(data.dtype).max) if data.dtype in (np.float32, np.float64) else correct(data)
    )


@THEME.fault("relu")
def relu_keeps_what_is_just_below_zero(split, correct, data):
    """A Relu that is fused with the cut behind it takes subnormals below zero for zeros, and passes them on."""
    if data.dtype not in (np.float32, np.float64):
        return correct(data)
    return np.where((data < 0) & (data > -np.finfo(data.dtype).tiny), data, correct(data))


@THEME.fault("joined")
def subnormals_are_flushed_before_a_concat(split, correct, outputs):
    """A cut and the Concat behind it become one copy, which is computed with subnormals flushed to zero."""
    return [without_subnormals(item, "float32") for item in correct(outputs)]


@THEME.fault("joined")
def nans_are_zero_behind_a_concat(split, correct, outputs):
    """A cut and the Concat behind it become one selection, which multiplies with 0 and 1."""
    return [
        np.where(np.isnan(item), np.zeros((), item.dtype), item) if is_float(item) else item
        for item in correct(outputs)
    ]


@THEME.fault("store")
def folded_subnormals_are_flushed(split, correct, part):
    """What is computed ahead is computed with subnormals flushed to zero."""
    return without_subnormals(part, "float32") if split.is_folded else part


@THEME.fault("store")
def folded_nans_are_infinite(split, correct, part):
    """What is computed ahead is written as text and read again, which knows no NaN."""
    is_text = split.is_folded and is_float(part)
    return np.where(np.isnan(part), np.array(np.inf, part.dtype), part) if is_text else part


@THEME.fault("store")
def runtime_subnormals_are_flushed(split, correct, part):
    """Where the lengths come at run time, a kernel is chosen that flushes subnormals of doubles."""
    return without_subnormals(part, "float64") if split.has_runtime_lengths and not split.has_unknown_dims else part
