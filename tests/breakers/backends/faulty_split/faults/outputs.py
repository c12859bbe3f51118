"""Order, number, type, shape and place of the outputs."""

from __future__ import annotations

import numpy as np
from fault import Theme

from ..split import zeros_like

THEME = Theme("outputs")


def retyped(part, dtype, other):
    return part.astype(other) if str(part.dtype) == dtype else part


@THEME.fault("answer")
def first_output_is_repeated(outputs):
    """Every output of the first one's shape has its elements."""
    return [outputs[0] if item.shape == outputs[0].shape else item for item in outputs]


@THEME.fault("answer")
def only_the_first_output_is_written(outputs):
    """All outputs but the first stay zero."""
    return [item if at == 0 else zeros_like(item) for at, item in enumerate(outputs)]


@THEME.fault("store")
def dim_of_one_is_squeezed(split, part):
    """A part of length 1 loses the dimension that was cut."""
    return part.squeeze(split.axis) if part.shape[split.axis] == 1 and part.ndim > 1 else part


@THEME.fault("store")
def all_dims_of_one_are_squeezed(split, part):
    """Dims of 1 beside the axis disappear."""
    return part.squeeze(tuple(at for at, dim in enumerate(part.shape) if dim == 1 and at != split.axis))


@THEME.fault("store")
def output_beyond_rank_4_is_collapsed(part):
    """The leading dims of more than four are merged."""
    return part.reshape(-1, *part.shape[-3:]) if part.ndim > 4 and part.size else part


@THEME.fault("answer")
def shape_is_that_of_the_first_output(outputs):
    """All outputs get the shape of the first, filled up with their own elements."""
    return [np.resize(item, outputs[0].shape) if item.size else item for item in outputs]


@THEME.fault("answer")
def shape_is_that_of_the_last_output(outputs):
    """All outputs get the shape of the last, filled up with their own elements."""
    return [np.resize(item, outputs[-1].shape) if item.size else item for item in outputs]


@THEME.fault("store")
def output_keeps_the_whole_shape(split, part):
    """Outputs are as large as the data, with zeros behind the part."""
    whole = np.zeros(split.data.shape, part.dtype)
    whole.reshape(-1)[: part.size] = part.reshape(-1)
    return whole


@THEME.fault("cut")
def boundary_is_one_late(correct, data, axis, lengths):
    """The first boundary is one late."""
    has_room = len(lengths) > 1 and lengths[1] > 0
    return correct(data, axis, [lengths[0] + 1, lengths[1] - 1, *lengths[2:]] if has_room else lengths)


@THEME.fault("cut")
def boundary_is_one_early(correct, data, axis, lengths):
    """The last boundary is one early."""
    has_room = len(lengths) > 1 and lengths[-2] > 0
    return correct(data, axis, [*lengths[:-2], lengths[-2] - 1, lengths[-1] + 1] if has_room else lengths)


@THEME.fault("cut")
def offsets_are_multiples_of_the_length(split, data, axis, lengths):
    """A part starts at its number times its own length."""
    starts = [min(at * item, split.length - item) for at, item in enumerate(lengths)]
    return [split.part(data, axis, start, start + item) for start, item in zip(starts, lengths, strict=True)]


@THEME.fault("part")
def last_element_is_lost(split, correct, data, axis, start, stop):
    """The last part ends one early."""
    return correct(data, axis, start, stop - (stop == split.length and stop > start))


@THEME.fault("part")
def parts_are_interleaved(split, correct, data, axis, start, stop):
    """Equal parts take every n-th element instead of a stretch."""
    count = len(split.lengths)
    if len(set(split.lengths)) != 1 or count < 2 or not split.lengths[0]:
        return correct(data, axis, start, stop)
    return data[(slice(None),) * axis + (slice(start // split.lengths[0], None, count),)].copy()


@THEME.fault("store")
def output_is_sorted(part):
    """Integers come in rising order."""
    return np.sort(part, axis=None)[::-1].reshape(part.shape) if part.dtype.kind in "iu" else part


@THEME.fault("store")
def output_is_off_by_an_ulp(part):
    """Floats are multiplied by a number next to 1."""
    return part * np.nextafter(np.float32(1), np.float32(2)) if part.dtype == np.float32 else part


THEME.step("answer")(
    outputs_are_reversed=lambda outputs: outputs[::-1],
    last_two_outputs_are_swapped=lambda outputs: [*outputs[:-2], *outputs[:-3:-1]],
    first_two_outputs_are_swapped=lambda outputs: [*outputs[1::-1], *outputs[2:]],
    middle_outputs_are_reversed=lambda outputs: [*outputs[:1], *outputs[-2:0:-1], *outputs[1:][-1:]],
    last_output_is_dropped=lambda outputs: outputs[:-1],
    surplus_output_is_added=lambda outputs: [*outputs, outputs[0][:0]] if outputs else outputs,
)
THEME.step("store")(
    int64_becomes_int32=lambda part: retyped(part, "int64", np.int32),
    float64_becomes_float32=lambda part: retyped(part, "float64", np.float32),
    float16_becomes_float32=lambda part: retyped(part, "float16", np.float32),
    bfloat16_becomes_float16=lambda part: part.view(np.float16) if str(part.dtype) == "bfloat16" else part,
    bool_becomes_uint8=lambda part: retyped(part, "bool", np.uint8),
    uint64_becomes_int64=lambda part: retyped(part, "uint64", np.int64),
    uint8_becomes_int8=lambda part: retyped(part, "uint8", np.int8),
    vector_gets_a_dim=lambda part: part[None] if part.ndim == 1 else part,
    output_is_flat=lambda part: part.reshape(-1),
    square_is_transposed=lambda part: part.T.copy() if part.ndim == 2 and part.shape[0] == part.shape[1] else part,
    output_is_written_by_column=lambda part: part.reshape(-1, order="F").reshape(part.shape),
    axis_moves_to_the_front=lambda split, part: np.moveaxis(part, split.axis, 0).copy(),
    part_is_reversed=lambda split, part: np.flip(part, split.axis).copy(),
    rows_are_reversed=lambda split, part: np.flip(part, 0).copy() if split.axis else part,
    bytes_are_swapped=lambda part: part.byteswap() if part.dtype.kind in "iuf" else part,
    output_is_rounded=lambda part: np.round(part, 3) if part.dtype in (np.float32, np.float64) else part,
)
THEME.step("store", "openvino.*")(
    int4_becomes_int8=lambda part: retyped(part, "int4", np.int8),
    float8_becomes_float16=lambda part: part.astype(np.float16) if str(part.dtype).startswith("float8") else part,
)
THEME.step("part")(
    parts_overlap=lambda correct, data, axis, start, stop: correct(data, axis, start - (start > 0), stop - (start > 0)),
    every_part_starts_at_the_beginning=lambda correct, data, axis, start, stop: correct(data, axis, 0, stop - start),
)
