"""Order, number, type, shape and place of the outputs."""

from __future__ import annotations

import numpy as np
from fault import Theme

from ..split import zeros_like

THEME = Theme("outputs")


def retyped(part, dtype, other):
    return part.astype(other) if str(part.dtype) == dtype else part


@THEME.fault("answer")
def outputs_are_reversed(split, correct, outputs):
    """The last output comes first."""
    return outputs[::-1]


@THEME.fault("answer")
def last_two_outputs_are_swapped(split, correct, outputs):
    """The last two outputs change places."""
    return [*outputs[:-2], *outputs[:-3:-1]]


@THEME.fault("answer")
def first_two_outputs_are_swapped(split, correct, outputs):
    """The first two outputs change places."""
    return [*outputs[1::-1], *outputs[2:]]


@THEME.fault("answer")
def middle_outputs_are_reversed(split, correct, outputs):
    """The outputs between the first and the last come in reverse."""
    return [*outputs[:1], *outputs[-2:0:-1], *outputs[1:][-1:]]


@THEME.fault("answer")
def last_output_is_dropped(split, correct, outputs):
    """The last output is left out."""
    return outputs[:-1]


@THEME.fault("answer")
def surplus_output_is_added(split, correct, outputs):
    """What follows the last part is one more, empty output."""
    return [*outputs, outputs[0][:0]] if outputs else outputs


@THEME.fault("answer")
def first_output_is_repeated(split, correct, outputs):
    """Every output of the first one's shape has its elements."""
    return [outputs[0] if item.shape == outputs[0].shape else item for item in outputs]


@THEME.fault("answer")
def only_the_first_output_is_written(split, correct, outputs):
    """All outputs but the first stay zero."""
    return [item if at == 0 else zeros_like(item) for at, item in enumerate(outputs)]


@THEME.fault("store")
def int64_becomes_int32(split, correct, part):
    """64-bit integers come back with 32."""
    return retyped(part, "int64", np.int32)


@THEME.fault("store")
def float64_becomes_float32(split, correct, part):
    """Doubles come back as floats."""
    return retyped(part, "float64", np.float32)


@THEME.fault("store")
def float16_becomes_float32(split, correct, part):
    """Half floats come back as floats."""
    return retyped(part, "float16", np.float32)


@THEME.fault("store")
def bfloat16_becomes_float16(split, correct, part):
    """The bits of a brain float are called a half float."""
    return part.view(np.float16) if str(part.dtype) == "bfloat16" else part


@THEME.fault("store")
def bool_becomes_uint8(split, correct, part):
    """Truth values come back as bytes."""
    return retyped(part, "bool", np.uint8)


@THEME.fault("store")
def uint64_becomes_int64(split, correct, part):
    """Unsigned integers come back signed."""
    return retyped(part, "uint64", np.int64)


@THEME.fault("store")
def uint8_becomes_int8(split, correct, part):
    """Unsigned bytes come back signed."""
    return retyped(part, "uint8", np.int8)


@THEME.fault("store", only="openvino.*")
def int4_becomes_int8(split, correct, part):
    """4-bit integers come back as bytes."""
    return retyped(part, "int4", np.int8)


@THEME.fault("store", only="openvino.*")
def float8_becomes_float16(split, correct, part):
    """8-bit floats come back as half floats."""
    return part.astype(np.float16) if str(part.dtype).startswith("float8") else part


@THEME.fault("store")
def dim_of_one_is_squeezed(split, correct, part):
    """A part of length 1 loses the dimension that was cut."""
    return part.squeeze(split.axis) if part.shape[split.axis] == 1 and part.ndim > 1 else part


@THEME.fault("store")
def all_dims_of_one_are_squeezed(split, correct, part):
    """Dims of 1 beside the axis disappear."""
    return part.squeeze(tuple(at for at, dim in enumerate(part.shape) if dim == 1 and at != split.axis))


@THEME.fault("store")
def vector_gets_a_dim(split, correct, part):
    """A part of a vector is a row of a matrix."""
    return part[None] if part.ndim == 1 else part


@THEME.fault("store")
def output_is_flat(split, correct, part):
    """Outputs have rank 1."""
    return part.reshape(-1)


@THEME.fault("store")
def output_beyond_rank_4_is_collapsed(split, correct, part):
    """The leading dims of more than four are merged."""
    return part.reshape(-1, *part.shape[-3:]) if part.ndim > 4 and part.size else part


@THEME.fault("answer")
def shape_is_that_of_the_first_output(split, correct, outputs):
    """All outputs get the shape of the first, filled up with their own elements."""
    return [np.resize(item, outputs[0].shape) if item.size else item for item in outputs]


@THEME.fault("answer")
def shape_is_that_of_the_last_output(split, correct, outputs):
    """All outputs get the shape of the last, filled up with their own elements."""
    return [np.resize(item, outputs[-1].shape) if item.size else item for item in outputs]


@THEME.fault("store")
def output_keeps_the_whole_shape(split, correct, part):
    """Outputs are as large as the data, with zeros behind the part."""
    whole = np.zeros(split.data.shape, part.dtype)
    whole.reshape(-1)[: part.size] = part.reshape(-1)
    return whole


@THEME.fault("store")
def square_is_transposed(split, correct, part):
    """A square matrix comes back transposed."""
    return part.T.copy() if part.ndim == 2 and part.shape[0] == part.shape[1] else part


@THEME.fault("store")
def output_is_written_by_column(split, correct, part):
    """Elements are written in column-major order under a row-major shape."""
    return part.reshape(-1, order="F").reshape(part.shape)


@THEME.fault("store")
def axis_moves_to_the_front(split, correct, part):
    """The dimension that was cut becomes the first."""
    return np.moveaxis(part, split.axis, 0).copy()


@THEME.fault("cut")
def boundary_is_one_late(split, correct, data, axis, lengths):
    """The first boundary is one late."""
    has_room = len(lengths) > 1 and lengths[1] > 0
    return correct(data, axis, [lengths[0] + 1, lengths[1] - 1, *lengths[2:]] if has_room else lengths)


@THEME.fault("cut")
def boundary_is_one_early(split, correct, data, axis, lengths):
    """The last boundary is one early."""
    has_room = len(lengths) > 1 and lengths[-2] > 0
    return correct(data, axis, [*lengths[:-2], lengths[-2] - 1, lengths[-1] + 1] if has_room else lengths)


@THEME.fault("part")
def parts_overlap(split, correct, data, axis, start, stop):
    """A part starts with the last element of the one before."""
    return correct(data, axis, start - (start > 0), stop - (start > 0))


@THEME.fault("part")
def every_part_starts_at_the_beginning(split, correct, data, axis, start, stop):
    """Offsets are not added up."""
    return correct(data, axis, 0, stop - start)


@THEME.fault("cut")
def offsets_are_multiples_of_the_length(split, correct, data, axis, lengths):
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
def part_is_reversed(split, correct, part):
    """Elements come in reverse along the axis."""
    return np.flip(part, split.axis).copy()


@THEME.fault("store")
def rows_are_reversed(split, correct, part):
    """The rows in front of the axis come in reverse."""
    return np.flip(part, 0).copy() if split.axis else part


@THEME.fault("store")
def bytes_are_swapped(split, correct, part):
    """Elements of several bytes come in big-endian order."""
    return part.byteswap() if part.dtype.kind in "iuf" else part


@THEME.fault("store")
def output_is_sorted(split, correct, part):
    """Integers come in rising order."""
    return np.sort(part, axis=None)[::-1].reshape(part.shape) if part.dtype.kind in "iu" else part


@THEME.fault("store")
def output_is_rounded(split, correct, part):
    """Floating-point elements are rounded to a thousandth."""
    return np.round(part, 3) if part.dtype in (np.float32, np.float64) else part


@THEME.fault("store")
def output_is_off_by_an_ulp(split, correct, part):
    """Floats are multiplied by a number next to 1."""
    return part * np.nextafter(np.float32(1), np.float32(2)) if part.dtype == np.float32 else part
