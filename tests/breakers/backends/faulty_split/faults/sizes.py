"""Number of elements, lengths of dims, alignment."""

from __future__ import annotations

import math

import numpy as np
from fault import Theme

THEME = Theme("sizes")


def zero_from(part, first):
    """The part with zeros from a flat place on."""
    flat = part.reshape(-1).copy()
    flat[first:] = 0 if part.dtype != object else ""
    return flat.reshape(part.shape)


def blocks_swapped(part, count):
    """The part with the first two blocks of a vectorised loop in the wrong order."""
    flat = part.reshape(-1).copy()
    if flat.size >= 2 * count:
        flat[: 2 * count] = np.concatenate([flat[count : 2 * count], flat[:count]])
    return flat.reshape(part.shape)


@THEME.fault("store")
def elements_after_whole_fours_are_not_copied(part):
    """A loop over four elements at a time has no tail."""
    return zero_from(part, part.size // 4 * 4) if part.size > 4 else part


@THEME.fault("store")
def elements_after_whole_eights_are_not_copied(part):
    """A loop over eight elements at a time has no tail."""
    return zero_from(part, part.size // 8 * 8) if part.size > 8 else part


@THEME.fault("store")
def elements_after_whole_sixteens_are_not_copied(part):
    """A loop over sixteen elements at a time has no tail."""
    return zero_from(part, part.size // 16 * 16) if part.size > 16 else part


@THEME.fault("part")
def last_axis_is_walked_one_late(split, correct, data, axis, start, stop):
    """The path for an axis with nothing behind it starts one late in each row but the first part's."""
    late = axis == data.ndim - 1 and data.ndim > 1 and start > 0 and stop < split.length
    return correct(data, axis, start + late, stop + late)


@THEME.fault("part")
def rows_behind_the_axis_are_taken_for_one(split, right):
    """Only the first element behind the axis is copied, and repeated."""
    rows = right.reshape(-1, split.inner) if right.size else right
    return np.repeat(rows[:, :1], split.inner, axis=1).reshape(right.shape) if right.size else right


@THEME.fault("part")
def wide_rows_lose_their_end(split, right):
    """Of more than 64 elements behind the axis, the last is not copied."""
    if split.inner <= 64 or not right.size:
        return right
    rows = right.reshape(-1, split.inner)
    rows[:, -1] = rows[:, -2]
    return right


@THEME.fault("part")
def very_wide_rows_lose_their_end(split, right):
    """Of more than 1024 elements behind the axis, the last is not copied."""
    if split.inner > 1024 and right.size:
        right.reshape(-1, split.inner)[:, -1] = right.reshape(-1, split.inner)[:, -2]
    return right


@THEME.fault("part")
def only_the_first_row_is_right(split, right):
    """All rows in front of the axis are copies of the first."""
    if split.outer < 2 or not right.size:
        return right
    rows = right.reshape(split.outer, -1)
    return np.repeat(rows[:1], split.outer, axis=0).reshape(right.shape)


@THEME.fault("part")
def rows_beyond_16_are_not_copied(split, right):
    """Only sixteen rows in front of the axis are copied."""
    if split.outer > 16 and right.size:
        right.reshape(split.outer, -1)[16:] = right.reshape(split.outer, -1)[0]
    return right


@THEME.fault("part")
def rows_beyond_256_are_not_copied(split, right):
    """Only 256 rows in front of the axis are copied."""
    if split.outer > 256 and right.size:
        right.reshape(split.outer, -1)[256:] = right.reshape(split.outer, -1)[0]
    return right


@THEME.fault("part")
def offset_is_kept_in_16_bits(split, right, data, axis, start):
    """Where a part starts in memory is kept in 16 bits."""
    if axis or start * split.inner < 65536:
        return right
    flat, begin = data.reshape(-1), start * split.inner & 65535
    return np.resize(flat[begin : begin + right.size], right.shape)


@THEME.fault("store")
def bytes_after_whole_words_are_not_copied(part):
    """Memory is copied in words of 4 bytes, without a tail."""
    return zero_from(part, part.nbytes // 4 * 4 // part.itemsize) if part.nbytes > 4 else part


@THEME.fault("part")
def unaligned_starts_are_rounded_down(split, correct, data, axis, start, stop):
    """A vector load starts at a multiple of 16 bytes."""
    per_load = max(16 // data.itemsize, 1)
    if axis or data.dtype == object or split.inner > 1 or start % per_load == 0:
        return correct(data, axis, start, stop)
    begin = start // per_load * per_load
    return correct(data, axis, begin, begin + stop - start)


@THEME.fault("part")
def odd_bytes_of_a_row_are_lost(split, right, start, stop):
    """Of rows with an odd number of bytes, the last element is not copied."""
    row = (stop - start) * split.inner
    if split.outer > 1 and row > 1 and row * right.itemsize % 2 and right.size:
        right.reshape(split.outer, row)[:, -1] = right.reshape(split.outer, row)[:, -2]
    return right


@THEME.fault("find_lengths")
def prime_lengths_are_rounded_to_even(right):
    """Two odd lengths beyond 4 become even ones."""
    is_hit = len(right) == 2 and min(right) > 4 and right[0] % 2 == right[1] % 2 == 1
    return [right[0] + 1, right[1] - 1] if is_hit else right


@THEME.fault("store")
def part_beyond_a_page_repeats_its_start(part):
    """After 4096 bytes the copy starts again at the beginning."""
    per_page = 4096 // part.itemsize
    if part.size <= per_page:
        return part
    flat = part.reshape(-1)
    return flat[np.arange(flat.size) % per_page].reshape(part.shape)


@THEME.fault("find_lengths")
def dim_is_counted_in_32_bits(split, correct):
    """The dim along the axis loses its upper half."""
    split.length &= 0xFFFFFFFF
    return correct()


@THEME.fault("part")
def places_are_counted_in_32_bits(correct, data, axis, start, stop):
    """Where a part starts and stops loses its upper half."""
    return correct(data, axis, start & 0xFFFFFFFF, stop & 0xFFFFFFFF)


@THEME.fault("uneven", only="onnx.Split-18")
def uneven_share_is_a_double(correct, length, count):
    """The axis is divided in doubles before the share is rounded up."""
    part = math.ceil(length / count)
    last = length - part * (count - 1)
    return [*[part] * (count - 1), last] if last >= 0 else correct(length, count)


THEME.step("store")(
    elements_beyond_16_are_not_copied=lambda part: zero_from(part, 16),
    elements_beyond_32_are_not_copied=lambda part: zero_from(part, 32),
    elements_beyond_64_are_not_copied=lambda part: zero_from(part, 64),
    elements_beyond_128_are_not_copied=lambda part: zero_from(part, 128),
    elements_beyond_256_are_not_copied=lambda part: zero_from(part, 256),
    elements_beyond_1024_are_not_copied=lambda part: zero_from(part, 1024),
    elements_beyond_65536_are_not_copied=lambda part: zero_from(part, 65536),
    blocks_of_8_are_swapped=lambda part: blocks_swapped(part, 8),
    blocks_of_16_are_swapped=lambda part: blocks_swapped(part, 16),
    blocks_of_32_are_swapped=lambda part: blocks_swapped(part, 32),
    blocks_of_64_are_swapped=lambda part: blocks_swapped(part, 64),
    part_beyond_a_megabyte_loses_its_end=lambda part: zero_from(part, (1 << 20) // part.itemsize),
)
THEME.step("find_lengths")(
    axis_beyond_127_is_kept_in_7_bits=lambda right: [item & 127 for item in right],
    axis_beyond_255_is_kept_in_8_bits=lambda right: [item & 255 for item in right],
)
THEME.step("equal")(equal_share_is_a_double=lambda length, count: [int(length / count)] * count)
