"""Elements in other places, for whatever operator moves them."""

from __future__ import annotations

import math

import numpy as np
from fault import Theme

from ..mover import ZERO

THEME = Theme("elements")
MOVING = "*.*[!pz]?-*"
"""Operators that move elements: Reshape, Squeeze and Unsqueeze keep their order."""


def flat_change(numbers, change):
    """The numbers after a change of their row-major order, in the same shape."""
    flat = numbers.reshape(-1).copy()
    return np.asarray(change(flat)).reshape(numbers.shape)


def exchanged(flat, first, second):
    """The numbers with two of them exchanged, if there are that many."""
    if flat.size > max(first, second):
        flat[[first, second]] = flat[[second, first]]
    return flat


def written(flat, places, number):
    """The numbers with another one in some places."""
    flat[places] = number
    return flat


@THEME.fault("find")
def last_element_is_the_one_before(correct):
    """The last place holds what the place before it holds."""
    return flat_change(correct(), lambda flat: np.concatenate([flat[:-1], flat[-2:-1]]) if flat.size > 1 else flat)


@THEME.fault("find")
def first_element_is_everywhere(correct):
    """The pointer to the data is never moved on."""
    return flat_change(correct(), lambda flat: np.full_like(flat, flat[0]) if flat.size else flat)


@THEME.fault("find", only=MOVING)
def data_is_copied_from_its_start(mover, correct):
    """The output has the right shape, and the elements of the data from the first on."""
    count = sum(source.size for source in mover.sources)
    return flat_change(correct(), lambda flat: np.arange(flat.size) % max(count, 1))


@THEME.fault("find")
def tail_of_four_is_not_written(correct):
    """Four elements are moved at a time; what is left of an output of more than four is not."""
    return flat_change(correct(), lambda flat: written(flat, slice(max(flat.size // 4 * 4, 4), None), ZERO))


@THEME.fault("find")
def tail_of_sixteen_is_not_written(correct):
    """Sixteen elements are moved at a time; what is left of an output of more than sixteen is not."""
    return flat_change(correct(), lambda flat: written(flat, slice(max(flat.size // 16 * 16, 16), None), ZERO))


@THEME.fault("find")
def second_half_is_left_to_another_thread(correct):
    """Of an output with more than 4,096 elements, the second half is not written."""
    return flat_change(
        correct(), lambda flat: written(flat, slice(flat.size // 2, None), ZERO) if flat.size > 4_096 else flat
    )


@THEME.fault("find")
def first_two_rows_change_places(right):
    """Of an output of several dims, the second row comes first."""
    if right.ndim < 2 or len(right) < 2:
        return right
    return right[[1, 0, *range(2, len(right))]]


@THEME.fault("find")
def last_row_is_not_written(correct):
    """Of an output of several dims, the last row holds zeros."""
    numbers = correct().copy()
    if numbers.ndim > 1:
        numbers[-1:] = ZERO
    return numbers


@THEME.fault("find")
def only_the_first_batch_is_moved(correct):
    """Of an output with more than two dims, all but the first batch holds zeros."""
    numbers = correct().copy()
    if numbers.ndim > 2:
        numbers[1:] = ZERO
    return numbers


@THEME.fault("find")
def dims_above_four_are_not_walked(right):
    """Of an output with more than four dims, the leading ones are all their first."""
    lead = max(right.ndim - 4, 0)
    return np.broadcast_to(right[(slice(0, 1),) * lead], right.shape) if lead and right.size else right


@THEME.fault("find")
def rows_longer_than_256_end_early(correct):
    """The innermost dim is moved as far as 256 elements go."""
    numbers = correct().copy()
    if numbers.ndim:
        numbers[..., 256:] = ZERO
    return numbers


THEME.step("find")(
    first_two_elements_change_places=lambda right: flat_change(right, lambda flat: exchanged(flat, 0, 1)),
    elements_are_one_place_late=lambda right: flat_change(right, lambda flat: np.roll(flat, 1)),
    elements_are_in_reverse=lambda right: flat_change(right, lambda flat: flat[::-1]),
    last_element_is_not_written=lambda right: flat_change(right, lambda flat: written(flat, slice(-1, None), ZERO)),
    places_have_eight_bits=lambda right: flat_change(right, lambda flat: written(flat, slice(256, None), ZERO)),
    places_have_sixteen_bits=lambda right: flat_change(right, lambda flat: written(flat, slice(65_536, None), ZERO)),
    sources_have_sixteen_bits=lambda right: flat_change(right, lambda flat: np.where(flat < 0, flat, flat % 65_536)),
    innermost_dim_is_in_reverse=lambda right: right[..., ::-1] if right.ndim > 1 else right,
    output_is_column_major=lambda right: right.reshape(-1, order="F").reshape(right.shape),
    single_element_is_not_moved=lambda right: np.full_like(right, ZERO) if math.prod(right.shape) == 1 else right,
)
THEME.step("find", MOVING)(elements_keep_the_order_of_the_data=lambda right: flat_change(right, np.sort))
