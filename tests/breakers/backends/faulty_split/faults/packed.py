"""Types below a byte, which are packed."""

from __future__ import annotations

import numpy as np
from fault import Theme

THEME = Theme("packed types")
OPENVINO = "openvino.*"


def per_byte(array):
    """How many elements of this type share a byte."""
    return {"int4": 2, "uint4": 2, "float4_e2m1fn": 2, "uint2": 4, "int2": 4, "uint1": 8}.get(str(array.dtype), 1)


def rounded_start(split, data, axis, start, stop):
    """The part as it is when it has to start at a whole byte."""
    rows = data.reshape(split.outer, split.length * split.inner)
    begin = start * split.inner // per_byte(data) * per_byte(data)
    shape = (*data.shape[:axis], stop - start, *data.shape[axis + 1 :])
    return rows[:, begin : begin + (stop - start) * split.inner].copy().reshape(shape)


def in_groups(part, count, order):
    """The flat elements in another order within whole groups of `count`."""
    flat = part.reshape(-1).copy()
    whole = flat.size // count * count
    flat[:whole] = flat[:whole].reshape(-1, count)[:, order].reshape(-1)
    return flat.reshape(part.shape)


@THEME.fault("part", only=OPENVINO)
def nibble_cut_is_rounded_to_a_byte(split, correct, data, axis, start, stop):
    """A part of 4-bit elements that starts at an odd one starts at the one before."""
    return (rounded_start if per_byte(data) == 2 else lambda _, *cut: correct(*cut))(split, data, axis, start, stop)


@THEME.fault("part", only=OPENVINO)
def bit_cut_is_rounded_to_a_byte(split, correct, data, axis, start, stop):
    """A part of single bits starts at a whole byte."""
    return (rounded_start if per_byte(data) == 8 else lambda _, *cut: correct(*cut))(split, data, axis, start, stop)


@THEME.fault("part", only=OPENVINO)
def two_bit_cut_is_rounded_to_a_byte(split, correct, data, axis, start, stop):
    """A part of 2-bit elements starts at a whole byte."""
    return (rounded_start if per_byte(data) == 4 else lambda _, *cut: correct(*cut))(split, data, axis, start, stop)


@THEME.fault("store", only=OPENVINO)
def odd_last_nibble_is_lost(part):
    """Of an odd number of 4-bit elements the last stays zero."""
    flat = part.reshape(-1).copy()
    if per_byte(part) == 2 and flat.size % 2:
        flat[-1] = 0
    return flat.reshape(part.shape)


@THEME.fault("store", only=OPENVINO)
def bits_beyond_whole_bytes_are_lost(part):
    """Single bits after the last whole byte stay zero."""
    flat = part.reshape(-1).copy()
    if per_byte(part) == 8:
        flat[flat.size // 8 * 8 :] = 0
    return flat.reshape(part.shape)


@THEME.fault("store", only=OPENVINO)
def packed_elements_lose_their_top_bit(part):
    """The highest bit of an unsigned 4-bit element is lost."""
    return (part.view(np.uint8) & 7).view(part.dtype) if str(part.dtype) == "uint4" else part


@THEME.fault("part", only=OPENVINO)
def rows_of_nibbles_start_at_a_byte(split, right, data, start, stop):
    """Each row of an odd number of 4-bit elements is taken to start at a new byte."""
    row = (stop - start) * split.inner
    if per_byte(data) != 2 or split.outer < 2 or row % 2 == 0:
        return right
    rows = right.reshape(split.outer, row).copy()
    rows[1:, :-1] = rows[1:, 1:]
    return rows.reshape(right.shape)


THEME.step("store", OPENVINO)(
    nibbles_are_swapped=lambda part: in_groups(part, 2, [1, 0]) if per_byte(part) == 2 else part,
    bits_are_written_in_reverse=lambda part: in_groups(part, 8, range(7, -1, -1)) if per_byte(part) == 8 else part,
    pairs_of_bits_are_written_in_reverse=lambda part: in_groups(part, 4, [3, 2, 1, 0]) if per_byte(part) == 4 else part,
    uint2_keeps_one_bit=lambda part: (part.view(np.uint8) & 1).view(part.dtype) if str(part.dtype) == "uint2" else part,
)
