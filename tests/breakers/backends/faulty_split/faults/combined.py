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


def spoils(only, **faults):
    """Enter faults that spoil the outputs of some calls."""

    def spoiling(is_hit):
        return lambda split, outputs: spoiled(outputs) if is_hit(split) else outputs

    THEME.step("answer", only)(**{name: spoiling(is_hit) for name, is_hit in faults.items()})


@THEME.fault("front_axis")
def negative_axis_of_rank_4_is_the_first(correct, axis, rank):
    """A negative axis of four dimensions becomes 0."""
    return 0 if rank == 4 and -rank <= axis < 0 else correct(axis, rank)


@THEME.fault("front_axis")
def negative_axis_of_rank_1_is_refused(correct, axis, rank):
    """A vector cannot be cut along -1."""
    return refuse("axis") if rank == 1 and axis == -1 else correct(axis, rank)


@THEME.fault("front_axis")
def negative_axis_beyond_rank_5_is_the_first(correct, axis, rank):
    """A negative axis of six or more dimensions becomes 0."""
    return 0 if rank > 5 and -rank <= axis < 0 else correct(axis, rank)


@THEME.fault("answer", only=VARIADIC)
def remainder_in_int32(split, outputs):
    """-1 in lengths of 32 bits."""
    lengths = split.given["split_lengths"]
    return spoiled(outputs) if lengths.dtype == np.int32 and -1 in lengths else outputs


@THEME.fault("answer", only=VARIADIC)
def remainder_with_empty_part(split, outputs):
    """-1 and 0 in one list."""
    written = split.given["split_lengths"].astype(int).tolist()
    return spoiled(outputs) if -1 in written and 0 in written else outputs


@THEME.fault("answer")
def bool_of_unknown_dims(split, outputs):
    """Truth values where the model does not know the shape."""
    is_hit = split.dtype == "bool" and split.has_unknown_dims
    return [~item for item in outputs] if is_hit else outputs


@THEME.fault("uneven", only="onnx.Split-18")
def uneven_parts_of_a_negative_axis_are_spread(split, right, length, count):
    """Along a negative axis the remainder is spread."""
    return right if split.written_axis >= 0 else [length // count + (at < length % count) for at in range(count)]


@THEME.fault("uneven", only="onnx.Split-18")
def uneven_parts_of_unknown_dims_are_refused(split, correct, length, count):
    """Where the model does not know the shape, the axis has to be divisible."""
    return refuse("uneven") if split.has_unknown_dims and length % count else correct(length, count)


@THEME.fault("uneven", only="onnx.Split-18")
def uneven_parts_beyond_three_are_spread(right, length, count):
    """With more than three parts the remainder is spread."""
    return right if count <= 3 else [length // count + (at < length % count) for at in range(count)]


@THEME.fault("answer")
def many_parts_of_unequal_length(split, outputs):
    """More than sixteen parts, not all of one length."""
    return outputs[::-1] if len(outputs) > 16 and len(set(split.lengths)) > 1 else outputs


@THEME.fault("answer")
def nan_in_another_part_than_the_first(split, outputs):
    """NaN is lost in every part but the first."""
    if split.dtype not in ("float32", "float64"):
        return outputs
    return [item if not at else np.where(np.isnan(item), item.dtype.type(0), item) for at, item in enumerate(outputs)]


@THEME.fault("answer", only="onnx.Split-11")
def constant_int16_is_refused_in_11(split, outputs):
    """Version 11 has no integers of 16 bits among its constants."""
    return refuse("int16") if split.is_folded and split.dtype == "int16" else outputs


spoils(
    "*",
    negative_axis_with_empty_part=lambda split: split.written_axis < 0 and 0 in split.lengths,
    negative_axis_of_texts=lambda split: split.written_axis < 0 and split.dtype == "object",
    negative_axis_of_bytes=lambda split: split.written_axis < 0 and split.data.itemsize == 1,
    negative_axis_of_unknown_dims=lambda split: split.written_axis < 0 and split.has_unknown_dims,
    empty_part_of_int8=lambda split: split.dtype == "int8" and 0 in split.lengths,
    empty_part_of_texts=lambda split: split.dtype == "object" and 0 in split.lengths,
    empty_part_of_unknown_dims=lambda split: split.has_unknown_dims and 0 in split.lengths,
    empty_part_of_an_inner_axis=lambda split: split.axis and 0 in split.lengths,
    empty_first_part_of_lengths_at_run_time=lambda split: split.has_runtime_lengths and split.lengths[:1] == [0],
    bfloat16_of_an_odd_axis=lambda split: split.dtype == "bfloat16" and split.length % 2,
    float16_of_the_last_axis=lambda split: split.dtype == "float16" and 0 < split.axis == split.rank - 1,
    float64_of_three_parts=lambda split: split.dtype == "float64" and len(split.lengths) > 2,
    texts_of_an_inner_axis=lambda split: split.dtype == "object" and split.axis,
    int64_of_unequal_parts=lambda split: split.dtype == "int64" and len(set(split.lengths)) > 1,
    uint64_of_rank_one=lambda split: split.dtype == "uint64" and split.rank == 1,
    many_parts_of_an_inner_axis=lambda split: len(split.lengths) > 8 and split.axis,
    many_parts_at_run_time=lambda split: len(split.lengths) > 8 and split.has_runtime_lengths,
    single_part_at_run_time=lambda split: len(split.lengths) == 1 and split.has_runtime_lengths,
    single_part_of_a_negative_axis=lambda split: len(split.lengths) == 1 and split.written_axis < 0,
    second_run_of_texts=lambda split: split.runs > 1 and split.dtype == "object",
    second_run_of_a_negative_axis=lambda split: split.runs > 1 and split.written_axis < 0,
    second_run_of_unequal_parts=lambda split: split.runs > 1 and len(set(split.lengths)) > 1,
    second_run_of_an_empty_part=lambda split: split.runs > 1 and 0 in split.lengths,
    rank_5_of_equal_parts=lambda split: split.rank == 5 and len(set(split.lengths)) == 1,
    rank_4_of_int32=lambda split: split.rank == 4 and split.dtype == "int32",
    large_data_of_bytes=lambda split: split.data.size > 64 and split.data.itemsize == 1,
    large_data_of_float64=lambda split: split.data.size > 1024 and split.data.itemsize == 8,
    large_data_of_an_inner_axis=lambda split: split.data.size > 4096 and 0 < split.axis < split.rank - 1,
    large_data_of_unknown_dims=lambda split: split.data.size > 1024 and split.has_unknown_dims,
    uint16_of_an_inner_axis_of_rank_3=lambda split: (split.rank, split.axis, split.dtype) == (3, 1, "uint16"),
    long_axis_of_unknown_rank=lambda split: split.has_unknown_rank and split.length > 1024,
)
spoils(
    VARIADIC,
    negative_axis_with_remainder=lambda split: (
        split.written_axis < 0 and -1 in split.given["split_lengths"].astype(int)
    ),
    remainder_of_unknown_dims=lambda split: split.has_unknown_dims and -1 in split.given["split_lengths"].astype(int),
    remainder_in_front_at_run_time=lambda split: (
        split.has_runtime_lengths and split.given["split_lengths"].astype(int).tolist()[:1] == [-1]
    ),
    remainder_of_an_inner_axis=lambda split: (
        -1 in split.given["split_lengths"].astype(int) and 0 < split.axis < split.rank - 1
    ),
    remainder_of_strings=lambda split: split.dtype == "object" and -1 in split.given["split_lengths"].astype(int),
    axis_in_a_list_that_is_negative=lambda split: split.given["axis"].ndim and split.written_axis < 0,
    axis_in_a_list_at_run_time=lambda split: split.given["axis"].ndim and split.is_runtime("axis"),
    texts_with_remainder_of_an_inner_axis=lambda split: (
        (split.dtype == "object" and -1 in split.given["split_lengths"].astype(int)) and split.axis > 0
    ),
    negative_axis_of_another_type_than_lengths=lambda split: (
        split.given["axis"].dtype != split.given["split_lengths"].dtype and split.written_axis < 0
    ),
)
spoils(
    "openvino.*",
    negative_axis_at_run_time_of_rank_3=lambda split: (
        split.written_axis < 0 and split.is_runtime("axis") and split.rank == 3
    ),
    axis_of_uint8_that_is_not_the_first=lambda split: split.given["axis"].dtype == np.uint8 and split.axis,
    axis_at_run_time_of_rank_beyond_3=lambda split: split.is_runtime("axis") and split.rank > 3,
    int4_of_an_inner_axis_of_odd_length=lambda split: split.dtype == "int4" and split.axis and split.length % 2,
)
spoils(
    "onnx.*", complex64_of_the_last_axis=lambda split: split.dtype == "complex64" and 0 < split.axis == split.rank - 1
)
spoils(
    "onnx.Split-18",
    uneven_parts_of_texts=lambda split: (
        split.dtype == "object" and ("num_outputs" in split.given and len(set(split.lengths)) > 1)
    ),
    uneven_bytes_of_a_negative_axis=lambda split: (
        ("num_outputs" in split.given and split.lengths[-1] != split.lengths[0])
        and split.written_axis < 0
        and split.data.itemsize == 1
    ),
)
spoils(
    "onnx.Split-13",
    split_13_with_negative_axis_at_run_time=lambda split: split.written_axis < 0 and split.has_runtime_lengths,
)
spoils("onnx.Split-2", split_2_of_equal_texts=lambda split: split.dtype == "object" and "split" not in split.given)
spoils(
    "onnx.Split-1", split_1_of_float64_with_lengths=lambda split: split.dtype == "float64" and "split" in split.given
)
spoils("openvino.Split-1", split_of_many_texts=lambda split: split.dtype == "object" and len(split.lengths) > 2)
