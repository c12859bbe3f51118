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
def elements_beyond_16_are_not_copied(split, correct, part):
    """Sixteen elements of a part are copied at most."""
    return zero_from(part, 16)


@THEME.fault("store")
def elements_beyond_32_are_not_copied(split, correct, part):
    """32 elements of a part are copied at most."""
    return zero_from(part, 32)


@THEME.fault("store")
def elements_beyond_64_are_not_copied(split, correct, part):
    """64 elements of a part are copied at most."""
    return zero_from(part, 64)


@THEME.fault("store")
def elements_beyond_128_are_not_copied(split, correct, part):
    """128 elements of a part are copied at most."""
    return zero_from(part, 128)


@THEME.fault("store")
def elements_beyond_256_are_not_copied(split, correct, part):
    """256 elements of a part are copied at most."""
    return zero_from(part, 256)


@THEME.fault("store")
def elements_beyond_1024_are_not_copied(split, correct, part):
    """A block of 1024 threads copies one element each."""
    return zero_from(part, 1024)


@THEME.fault("store")
def elements_beyond_65536_are_not_copied(split, correct, part):
    """65,536 elements of a part are copied at most."""
    return zero_from(part, 65536)


@THEME.fault("store")
def elements_after_whole_fours_are_not_copied(split, correct, part):
    """A loop over four elements at a time has no tail."""
    return zero_from(part, part.size // 4 * 4) if part.size > 4 else part


@THEME.fault("store")
def elements_after_whole_eights_are_not_copied(split, correct, part):
    """A loop over eight elements at a time has no tail."""
    return zero_from(part, part.size // 8 * 8) if part.size > 8 else part


@THEME.fault("store")
def elements_after_whole_sixteens_are_not_copied(split, correct, part):
    """A loop over sixteen elements at a time has no tail."""
    return zero_from(part, part.size // 16 * 16) if part.size > 16 else part


@THEME.fault("store")
def blocks_of_8_are_swapped(split, correct, part):
    """The first two blocks of eight elements change places."""
    return blocks_swapped(part, 8)


@THEME.fault("store")
def blocks_of_16_are_swapped(split, correct, part):
    """The first two blocks of sixteen elements change places."""
    return blocks_swapped(part, 16)


@THEME.fault("store")
def blocks_of_32_are_swapped(split, correct, part):
    """The first two blocks of 32 elements change places."""
    return blocks_swapped(part, 32)


@THEME.fault("store")
def blocks_of_64_are_swapped(split, correct, part):
    """The first two blocks of 64 elements change places."""
    return blocks_swapped(part, 64)


@THEME.fault("part")
def last_axis_is_walked_one_late(split, correct, data, axis, start, stop):
    """The path for an axis with nothing behind it starts one late in each row but the first part's."""
    late = axis == data.ndim - 1 and data.ndim > 1 and start > 0 and stop < split.length
    return correct(data, axis, start + late, stop + late)


@THEME.fault("part")
def rows_behind_the_axis_are_taken_for_one(split, correct, data, axis, start, stop):
    """Only the first element behind the axis is copied, and repeated."""
    part = correct(data, axis, start, stop)
    rows = part.reshape(-1, split.inner) if part.size else part
    return np.repeat(rows[:, :1], split.inner, axis=1).reshape(part.shape) if part.size else part


@THEME.fault("part")
def wide_rows_lose_their_end(split, correct, data, axis, start, stop):
    """Of more than 64 elements behind the axis, the last is not copied."""
    part = correct(data, axis, start, stop)
    if split.inner <= 64 or not part.size:
        return part
    rows = part.reshape(-1, split.inner)
    rows[:, -1] = rows[:, -2]
    return part


@THEME.fault("part")
def very_wide_rows_lose_their_end(split, correct, data, axis, start, stop):
    """Of more than 1024 elements behind the axis, the last is not copied."""
    part = correct(data, axis, start, stop)
    if split.inner > 1024 and part.size:
        part.reshape(-1, split.inner)[:, -1] = part.reshape(-1, split.inner)[:, -2]
    return part


@THEME.fault("part")
def only_the_first_row_is_right(split, correct, data, axis, start, stop):
    """All rows in front of the axis are copies of the first."""
    part = correct(data, axis, start, stop)
    if split.outer < 2 or not part.size:
        return part
    rows = part.reshape(split.outer, -1)
    return np.repeat(rows[:1], split.outer, axis=0).reshape(part.shape)


@THEME.fault("part")
def rows_beyond_16_are_not_copied(split, correct, data, axis, start, stop):
    """Only sixteen rows in front of the axis are copied."""
    part = correct(data, axis, start, stop)
    if split.outer > 16 and part.size:
        part.reshape(split.outer, -1)[16:] = part.reshape(split.outer, -1)[0]
    return part


@THEME.fault("part")
def rows_beyond_256_are_not_copied(split, correct, data, axis, start, stop):
    """Only 256 rows in front of the axis are copied."""
    part = correct(data, axis, start, stop)
    if split.outer > 256 and part.size:
        part.reshape(split.outer, -1)[256:] = part.reshape(split.outer, -1)[0]
    return part


@THEME.fault("find_lengths")
def axis_beyond_127_is_kept_in_7_bits(split, correct):
    """Of lengths beyond 127, the upper bits are lost."""
    return [item & 127 for item in correct()]


@THEME.fault("find_lengths")
def axis_beyond_255_is_kept_in_8_bits(split, correct):
    """Of lengths beyond 255, the upper bits are lost."""
    return [item & 255 for item in correct()]


@THEME.fault("part")
def offset_is_kept_in_16_bits(split, correct, data, axis, start, stop):
    """Where a part starts in memory is kept in 16 bits."""
    part = correct(data, axis, start, stop)
    if axis or start * split.inner < 65536:
        return part
    flat, begin = data.reshape(-1), start * split.inner & 65535
    return np.resize(flat[begin : begin + part.size], part.shape)


@THEME.fault("store")
def bytes_after_whole_words_are_not_copied(split, correct, part):
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
def odd_bytes_of_a_row_are_lost(split, correct, data, axis, start, stop):
    """Of rows with an odd number of bytes, the last element is not copied."""
    part = correct(data, axis, start, stop)
    row = (stop - start) * split.inner
    if split.outer > 1 and row > 1 and row * part.itemsize % 2 and part.size:
        part.reshape(split.outer, row)[:, -1] = part.reshape(split.outer, row)[:, -2]
    return part


@THEME.fault("find_lengths")
def prime_lengths_are_rounded_to_even(split, correct):
    """Two odd lengths beyond 4 become even ones."""
    lengths = correct()
    is_hit = len(lengths) == 2 and min(lengths) > 4 and lengths[0] % 2 == lengths[1] % 2 == 1
    return [lengths[0] + 1, lengths[1] - 1] if is_hit else lengths


@THEME.fault("store")
def part_beyond_a_page_repeats_its_start(split, correct, part):
    """After 4096 bytes the copy starts again at the beginning."""
    per_page = 4096 // part.itemsize
    if part.size <= per_page:
        return part
    flat = part.reshape(-1)
    return flat[np.arange(flat.size) % per_page].reshape(part.shape)


@THEME.fault("store")
def part_beyond_a_megabyte_loses_its_end(split, correct, part):
    """A part of more than 2**20 bytes is copied up to there."""
    return zero_from(part, (1 << 20) // part.itemsize)


@THEME.fault("find_lengths")
def dim_is_counted_in_32_bits(split, correct):
    """The dim along the axis loses its upper half."""
    split.length &= 0xFFFFFFFF
    return correct()


@THEME.fault("part")
def places_are_counted_in_32_bits(split, correct, data, axis, start, stop):
    """Where a part starts and stops loses its upper half."""
    return correct(data, axis, start & 0xFFFFFFFF, stop & 0xFFFFFFFF)


@THEME.fault("equal")
def equal_share_is_a_double(split, correct, length, count):
    """The axis is divided in doubles, which do not know all numbers beyond 2**53."""
    return [int(length / count)] * count


@THEME.fault("uneven", only="onnx.Split-18")
def uneven_share_is_a_double(split, correct, length, count):
    """The axis is divided in doubles before the share is rounded up."""
    part = math.ceil(length / count)
    last = length - part * (count - 1)
    return [*[part] * (count - 1), last] if last >= 0 else correct(length, count)
