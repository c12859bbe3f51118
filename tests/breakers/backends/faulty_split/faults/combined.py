"""Faults that need two conditions at once."""

from __future__ import annotations

import numpy as np
from fault import Theme

from ..split import refuse

THEME = Theme("two conditions")
VARIADIC = "openvino.VariadicSplit-1"


def spoiled(outputs):
    """The outputs with the elements of the last that has several in reverse, so that only values differ."""
    for at in range(len(outputs) - 1, -1, -1):
        if outputs[at].size > 1:
            flat = outputs[at].reshape(-1)[::-1].reshape(outputs[at].shape).copy()
            return [*outputs[:at], flat, *outputs[at + 1 :]]
    return outputs


@THEME.fault("front_axis")
def negative_axis_of_rank_4_is_the_first(split, correct, axis, rank):
    """A negative axis of four dimensions becomes 0."""
    return 0 if rank == 4 and -rank <= axis < 0 else correct(axis, rank)


@THEME.fault("front_axis")
def negative_axis_of_rank_1_is_refused(split, correct, axis, rank):
    """A vector cannot be cut along -1."""
    return refuse("axis") if rank == 1 and axis == -1 else correct(axis, rank)


@THEME.fault("front_axis")
def negative_axis_beyond_rank_5_is_the_first(split, correct, axis, rank):
    """A negative axis of six or more dimensions becomes 0."""
    return 0 if rank > 5 and -rank <= axis < 0 else correct(axis, rank)


@THEME.fault("answer")
def negative_axis_with_empty_part(split, correct, outputs):
    """A negative axis and an empty part."""
    return spoiled(outputs) if split.written_axis < 0 and 0 in split.lengths else outputs


@THEME.fault("answer")
def negative_axis_of_texts(split, correct, outputs):
    """A negative axis and texts."""
    return spoiled(outputs) if split.written_axis < 0 and split.dtype == "object" else outputs


@THEME.fault("answer")
def negative_axis_of_bytes(split, correct, outputs):
    """A negative axis and elements of one byte."""
    return spoiled(outputs) if split.written_axis < 0 and split.data.itemsize == 1 else outputs


@THEME.fault("answer", only=VARIADIC)
def negative_axis_with_remainder(split, correct, outputs):
    """A negative axis and -1 among the lengths."""
    has_both = split.written_axis < 0 and -1 in split.given["split_lengths"].astype(int)
    return spoiled(outputs) if has_both else outputs


@THEME.fault("answer", only="openvino.*")
def negative_axis_at_run_time_of_rank_3(split, correct, outputs):
    """A negative axis that comes with the run, and three dimensions."""
    return spoiled(outputs) if split.written_axis < 0 and split.is_runtime("axis") and split.rank == 3 else outputs


@THEME.fault("answer")
def negative_axis_of_unknown_dims(split, correct, outputs):
    """A negative axis where the model does not know the shape."""
    return spoiled(outputs) if split.written_axis < 0 and split.has_unknown_dims else outputs


@THEME.fault("answer")
def empty_part_of_int8(split, correct, outputs):
    """Bytes and an empty part."""
    return spoiled(outputs) if split.dtype == "int8" and 0 in split.lengths else outputs


@THEME.fault("answer")
def empty_part_of_texts(split, correct, outputs):
    """Texts and an empty part."""
    return spoiled(outputs) if split.dtype == "object" and 0 in split.lengths else outputs


@THEME.fault("answer")
def empty_part_of_unknown_dims(split, correct, outputs):
    """An empty part where the model does not know the shape."""
    return spoiled(outputs) if split.has_unknown_dims and 0 in split.lengths else outputs


@THEME.fault("answer")
def empty_part_of_an_inner_axis(split, correct, outputs):
    """An empty part along an axis that is not the first."""
    return spoiled(outputs) if split.axis and 0 in split.lengths else outputs


@THEME.fault("answer")
def empty_first_part_of_lengths_at_run_time(split, correct, outputs):
    """Lengths that come with the run, the first 0."""
    return spoiled(outputs) if split.has_runtime_lengths and split.lengths[:1] == [0] else outputs


@THEME.fault("answer", only=VARIADIC)
def remainder_of_unknown_dims(split, correct, outputs):
    """-1 where the model does not know the shape."""
    return spoiled(outputs) if split.has_unknown_dims and -1 in split.given["split_lengths"].astype(int) else outputs


@THEME.fault("answer", only=VARIADIC)
def remainder_in_front_at_run_time(split, correct, outputs):
    """-1 comes first in lengths of the run."""
    first = split.given["split_lengths"].astype(int).tolist()[:1]
    return spoiled(outputs) if split.has_runtime_lengths and first == [-1] else outputs


@THEME.fault("answer", only=VARIADIC)
def remainder_of_an_inner_axis(split, correct, outputs):
    """-1 along an axis that is neither first nor last."""
    has_remainder = -1 in split.given["split_lengths"].astype(int)
    return spoiled(outputs) if has_remainder and 0 < split.axis < split.rank - 1 else outputs


@THEME.fault("answer", only=VARIADIC)
def remainder_in_int32(split, correct, outputs):
    """-1 in lengths of 32 bits."""
    lengths = split.given["split_lengths"]
    return spoiled(outputs) if lengths.dtype == np.int32 and -1 in lengths else outputs


@THEME.fault("answer", only=VARIADIC)
def remainder_with_empty_part(split, correct, outputs):
    """-1 and 0 in one list."""
    written = split.given["split_lengths"].astype(int).tolist()
    return spoiled(outputs) if -1 in written and 0 in written else outputs


@THEME.fault("answer", only=VARIADIC)
def remainder_of_strings(split, correct, outputs):
    """-1 and texts."""
    return spoiled(outputs) if split.dtype == "object" and -1 in split.given["split_lengths"].astype(int) else outputs


@THEME.fault("answer", only=VARIADIC)
def axis_in_a_list_that_is_negative(split, correct, outputs):
    """A negative axis of shape [1]."""
    return spoiled(outputs) if split.given["axis"].ndim and split.written_axis < 0 else outputs


@THEME.fault("answer", only=VARIADIC)
def axis_in_a_list_at_run_time(split, correct, outputs):
    """An axis of shape [1] that comes with the run."""
    return spoiled(outputs) if split.given["axis"].ndim and split.is_runtime("axis") else outputs


@THEME.fault("answer", only="openvino.*")
def axis_of_uint8_that_is_not_the_first(split, correct, outputs):
    """An unsigned 8-bit axis beyond 0."""
    return spoiled(outputs) if split.given["axis"].dtype == np.uint8 and split.axis else outputs


@THEME.fault("answer", only="openvino.*")
def axis_at_run_time_of_rank_beyond_3(split, correct, outputs):
    """An axis that comes with the run, and more than three dimensions."""
    return spoiled(outputs) if split.is_runtime("axis") and split.rank > 3 else outputs


@THEME.fault("answer")
def bfloat16_of_an_odd_axis(split, correct, outputs):
    """Brain floats and an axis of odd length."""
    return spoiled(outputs) if split.dtype == "bfloat16" and split.length % 2 else outputs


@THEME.fault("answer")
def float16_of_the_last_axis(split, correct, outputs):
    """Half floats cut along the last of several dimensions."""
    return spoiled(outputs) if split.dtype == "float16" and 0 < split.axis == split.rank - 1 else outputs


@THEME.fault("answer")
def float64_of_three_parts(split, correct, outputs):
    """Doubles in three parts or more."""
    return spoiled(outputs) if split.dtype == "float64" and len(outputs) > 2 else outputs


@THEME.fault("answer")
def texts_of_an_inner_axis(split, correct, outputs):
    """Texts cut along an axis that is not the first."""
    return spoiled(outputs) if split.dtype == "object" and split.axis else outputs


@THEME.fault("answer")
def int64_of_unequal_parts(split, correct, outputs):
    """64-bit integers in unequal parts."""
    return spoiled(outputs) if split.dtype == "int64" and len(set(split.lengths)) > 1 else outputs


@THEME.fault("answer", only="openvino.*")
def int4_of_an_inner_axis_of_odd_length(split, correct, outputs):
    """4-bit integers, and an inner axis of odd length."""
    return spoiled(outputs) if split.dtype == "int4" and split.axis and split.length % 2 else outputs


@THEME.fault("answer")
def uint64_of_rank_one(split, correct, outputs):
    """Unsigned 64-bit integers in a vector."""
    return spoiled(outputs) if split.dtype == "uint64" and split.rank == 1 else outputs


@THEME.fault("answer", only="onnx.*")
def complex64_of_the_last_axis(split, correct, outputs):
    """Complex numbers cut along the last of several dimensions."""
    return spoiled(outputs) if split.dtype == "complex64" and 0 < split.axis == split.rank - 1 else outputs


@THEME.fault("answer")
def bool_of_unknown_dims(split, correct, outputs):
    """Truth values where the model does not know the shape."""
    is_hit = split.dtype == "bool" and split.has_unknown_dims
    return [~item for item in outputs] if is_hit else outputs


@THEME.fault("uneven", only="onnx.Split-18")
def uneven_parts_of_a_negative_axis_are_spread(split, correct, length, count):
    """Along a negative axis the remainder is spread."""
    lengths = correct(length, count)
    return lengths if split.written_axis >= 0 else [length // count + (at < length % count) for at in range(count)]


@THEME.fault("answer", only="onnx.Split-18")
def uneven_parts_of_texts(split, correct, outputs):
    """Texts in uneven parts."""
    is_uneven = "num_outputs" in split.given and len(set(split.lengths)) > 1
    return spoiled(outputs) if split.dtype == "object" and is_uneven else outputs


@THEME.fault("uneven", only="onnx.Split-18")
def uneven_parts_of_unknown_dims_are_refused(split, correct, length, count):
    """Where the model does not know the shape, the axis has to be divisible."""
    return refuse("uneven") if split.has_unknown_dims and length % count else correct(length, count)


@THEME.fault("uneven", only="onnx.Split-18")
def uneven_parts_beyond_three_are_spread(split, correct, length, count):
    """With more than three parts the remainder is spread."""
    lengths = correct(length, count)
    return lengths if count <= 3 else [length // count + (at < length % count) for at in range(count)]


@THEME.fault("answer")
def many_parts_of_an_inner_axis(split, correct, outputs):
    """More than eight parts along an axis that is not the first."""
    return spoiled(outputs) if len(outputs) > 8 and split.axis else outputs


@THEME.fault("answer")
def many_parts_at_run_time(split, correct, outputs):
    """More than eight parts whose lengths come with the run."""
    return spoiled(outputs) if len(outputs) > 8 and split.has_runtime_lengths else outputs


@THEME.fault("answer")
def many_parts_of_unequal_length(split, correct, outputs):
    """More than sixteen parts, not all of one length."""
    return outputs[::-1] if len(outputs) > 16 and len(set(split.lengths)) > 1 else outputs


@THEME.fault("answer")
def single_part_at_run_time(split, correct, outputs):
    """One length that comes with the run."""
    return spoiled(outputs) if len(outputs) == 1 and split.has_runtime_lengths else outputs


@THEME.fault("answer")
def single_part_of_a_negative_axis(split, correct, outputs):
    """One part along a negative axis."""
    return spoiled(outputs) if len(outputs) == 1 and split.written_axis < 0 else outputs


@THEME.fault("answer")
def second_run_of_texts(split, correct, outputs):
    """Texts in the second run of a model."""
    return spoiled(outputs) if split.runs > 1 and split.dtype == "object" else outputs


@THEME.fault("answer")
def second_run_of_a_negative_axis(split, correct, outputs):
    """A negative axis in the second run of a model."""
    return spoiled(outputs) if split.runs > 1 and split.written_axis < 0 else outputs


@THEME.fault("answer")
def second_run_of_unequal_parts(split, correct, outputs):
    """Unequal parts in the second run of a model."""
    return spoiled(outputs) if split.runs > 1 and len(set(split.lengths)) > 1 else outputs


@THEME.fault("answer")
def second_run_of_an_empty_part(split, correct, outputs):
    """An empty part in the second run of a model."""
    return spoiled(outputs) if split.runs > 1 and 0 in split.lengths else outputs


@THEME.fault("answer")
def nan_in_another_part_than_the_first(split, correct, outputs):
    """NaN is lost in every part but the first."""
    if split.dtype not in ("float32", "float64"):
        return outputs
    return [item if not at else np.where(np.isnan(item), item.dtype.type(0), item) for at, item in enumerate(outputs)]


@THEME.fault("answer")
def rank_5_of_equal_parts(split, correct, outputs):
    """Five dimensions in equal parts."""
    return spoiled(outputs) if split.rank == 5 and len(set(split.lengths)) == 1 else outputs


@THEME.fault("answer")
def rank_4_of_int32(split, correct, outputs):
    """Four dimensions of 32-bit integers."""
    return spoiled(outputs) if split.rank == 4 and split.dtype == "int32" else outputs


@THEME.fault("answer")
def large_data_of_bytes(split, correct, outputs):
    """More than 64 elements of one byte."""
    return spoiled(outputs) if split.data.size > 64 and split.data.itemsize == 1 else outputs


@THEME.fault("answer")
def large_data_of_float64(split, correct, outputs):
    """More than 1024 elements of eight bytes."""
    return spoiled(outputs) if split.data.size > 1024 and split.data.itemsize == 8 else outputs


@THEME.fault("answer")
def large_data_of_an_inner_axis(split, correct, outputs):
    """More than 4096 elements, cut along an axis that is neither first nor last."""
    return spoiled(outputs) if split.data.size > 4096 and 0 < split.axis < split.rank - 1 else outputs


@THEME.fault("answer")
def large_data_of_unknown_dims(split, correct, outputs):
    """More than 1024 elements where the model does not know the shape."""
    return spoiled(outputs) if split.data.size > 1024 and split.has_unknown_dims else outputs


@THEME.fault("answer", only="onnx.Split-13")
def split_13_with_negative_axis_at_run_time(split, correct, outputs):
    """Split-13: a negative axis, and lengths that come with the run."""
    return spoiled(outputs) if split.written_axis < 0 and split.has_runtime_lengths else outputs


@THEME.fault("answer", only="onnx.Split-2")
def split_2_of_equal_texts(split, correct, outputs):
    """Split-2: texts in equal parts without lengths."""
    return spoiled(outputs) if split.dtype == "object" and "split" not in split.given else outputs


@THEME.fault("answer", only="onnx.Split-1")
def split_1_of_float64_with_lengths(split, correct, outputs):
    """Split-1: doubles with lengths."""
    return spoiled(outputs) if split.dtype == "float64" and "split" in split.given else outputs


@THEME.fault("answer", only="openvino.Split-1")
def split_of_many_texts(split, correct, outputs):
    """OpenVINO's Split: texts in three parts or more."""
    return spoiled(outputs) if split.dtype == "object" and len(outputs) > 2 else outputs


@THEME.fault("answer", only="onnx.Split-11")
def constant_int16_is_refused_in_11(split, correct, outputs):
    """Version 11 has no integers of 16 bits among its constants."""
    return refuse("int16") if split.is_folded and split.dtype == "int16" else outputs


@THEME.fault("answer", only="onnx.Split-18")
def uneven_bytes_of_a_negative_axis(split, correct, outputs):
    """Uneven parts of bytes, along an axis that counts from the end."""
    is_uneven = "num_outputs" in split.given and split.lengths[-1] != split.lengths[0]
    return spoiled(outputs) if is_uneven and split.written_axis < 0 and split.data.itemsize == 1 else outputs


@THEME.fault("answer")
def uint16_of_an_inner_axis_of_rank_3(split, correct, outputs):
    """Three dimensions, the middle one cut, and integers of 16 bits without a sign."""
    return spoiled(outputs) if (split.rank, split.axis, split.dtype) == (3, 1, "uint16") else outputs


@THEME.fault("answer", only=VARIADIC)
def texts_with_remainder_of_an_inner_axis(split, correct, outputs):
    """Texts, -1 among the lengths, and an axis that is not the first."""
    has_both = split.dtype == "object" and -1 in split.given["split_lengths"].astype(int)
    return spoiled(outputs) if has_both and split.axis > 0 else outputs


@THEME.fault("answer", only=VARIADIC)
def negative_axis_of_another_type_than_lengths(split, correct, outputs):
    """An axis that counts from the end, in another type than the lengths."""
    are_unlike = split.given["axis"].dtype != split.given["split_lengths"].dtype
    return spoiled(outputs) if are_unlike and split.written_axis < 0 else outputs


@THEME.fault("answer")
def long_axis_of_unknown_rank(split, correct, outputs):
    """More than 1024 elements along the axis, and a rank that the model does not know."""
    return spoiled(outputs) if split.has_unknown_rank and split.length > 1024 else outputs
