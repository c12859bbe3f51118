"""Faults of Reshape: what 0 and -1 mean, and which shapes are valid."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from fault import Theme

from ..mover import refuse
from .acceptance import accepts, refuses

THEME = Theme("lengths of a shape")
RESHAPE = "*.Reshape-*"


def lengths_of(mover):
    """The shape as it is given."""
    return mover.role("shape") or []


def copies_zero(mover):
    """Whether a 0 copies a length of the data."""
    if "special_zero" in mover.given:
        return bool(mover.given["special_zero"])
    return not mover.given.get("allowzero")


def shaped(mover, correct, change):
    """The elements in their order, in another shape; refused if they do not fill it."""
    numbers = correct()
    shape = change(list(numbers.shape), lengths_of(mover))
    if math.prod(shape) != numbers.size:
        refuse("the elements do not fill the shape")
    return numbers.reshape(-1).reshape(shape)


@THEME.fault("find", RESHAPE)
def elements_come_in_column_major_order(mover, right):
    """The elements are read and written column by column."""
    (data,) = mover.sources
    flat = np.arange(data.size).reshape(data.shape).reshape(-1, order="F")
    return flat.reshape(right.shape, order="F")


@THEME.fault("find", RESHAPE)
def zero_copies_the_first_dim(mover, correct):
    """Every 0 copies the length of the first dim."""

    def change(found, given):
        return [mover.shape[0] if not length and copies_zero(mover) else found[at] for at, length in enumerate(given)]

    return shaped(mover, correct, change)


@THEME.fault("find", RESHAPE)
def zero_copies_the_dim_counted_from_the_end(mover, correct):
    """Data and shape are aligned at their ends before a 0 copies a length."""

    def change(found, given):
        aligned = [*[1] * len(given), *mover.shape][-len(given) :] if given else []
        return [aligned[at] if not length and copies_zero(mover) else found[at] for at, length in enumerate(given)]

    return shaped(mover, correct, change)


@THEME.fault("find", RESHAPE)
def zero_copies_the_next_dim(mover, correct):
    """A 0 copies the length of the dim behind its own, if there is one."""

    def change(found, given):
        dims = [*mover.shape[1:], *mover.shape[-1:]]
        return [dims[at] if not length and copies_zero(mover) else found[at] for at, length in enumerate(given)]

    return shaped(mover, correct, change)


@THEME.fault("find", RESHAPE)
def copied_length_counts_as_one_beside_minus_one(mover, correct):
    """The -1 is computed before a 0 is replaced."""

    def change(found, given):
        if -1 not in given or 0 not in given or not copies_zero(mover):
            return found
        inferred = math.prod(mover.shape) // max(math.prod(length for length in given if length > 0), 1)
        return [inferred if length == -1 else found[at] for at, length in enumerate(given)]

    return shaped(mover, correct, change)


@THEME.fault("find", RESHAPE)
def minus_one_takes_the_first_length(mover, correct):
    """A -1 copies a length, as 0 does."""

    def change(found, given):
        return [mover.shape[0] if length == -1 and mover.shape else found[at] for at, length in enumerate(given)]

    return shaped(mover, correct, change)


@THEME.fault("find", RESHAPE)
def minus_one_of_no_elements_is_one(mover, correct):
    """Where the data has no elements, a -1 becomes 1."""

    def change(found, given):
        return [1 if length == -1 and 0 in mover.shape else found[at] for at, length in enumerate(given)]

    return shaped(mover, correct, change)


@THEME.fault("find", RESHAPE)
def trailing_ones_are_dropped(mover, correct):
    """A length of 1 at the end of a longer shape is left out."""
    return shaped(mover, correct, lambda found, _: found[:-1] if len(found) > 1 and found[-1] == 1 else found)


@THEME.fault("complete", "onnx.Reshape-*")
def allowzero_is_ignored(correct, given):
    """A 0 copies a length in spite of allowzero."""
    return correct({name: value for name, value in given.items() if name != "allowzero"})


@THEME.fault("complete", "openvino.Reshape-*")
def special_zero_is_always_set(correct, given):
    """A 0 copies a length whether special_zero is set or not."""
    return correct({**given, "special_zero": True} if isinstance(given.get("special_zero"), bool) else given)


@THEME.fault("complete", "openvino.Reshape-*")
def special_zero_is_never_set(correct, given):
    """A 0 is a length whether special_zero is set or not."""
    return correct({**given, "special_zero": False} if isinstance(given.get("special_zero"), bool) else given)


@THEME.fault("complete", "openvino.Reshape-*")
def special_zero_is_read_the_wrong_way_round(correct, given):
    """A 0 copies a length unless special_zero is set."""
    value = given.get("special_zero")
    return correct({**given, "special_zero": not value} if isinstance(value, bool) else given)


THEME.step("find", RESHAPE)(
    shape_is_read_from_its_end=partial(shaped, change=lambda found, _: found[::-1]),
    shape_is_sorted=partial(shaped, change=lambda found, _: sorted(found)),
    shape_of_the_data_stays=lambda mover, correct: shaped(mover, correct, lambda *_: list(mover.shape)),
    empty_shape_makes_a_vector=partial(shaped, change=lambda found, _: found or [1]),
)
refuses(
    THEME,
    RESHAPE,
    minus_one_is_refused=lambda mover: -1 in lengths_of(mover),
    minus_one_must_be_last=lambda mover: -1 in lengths_of(mover)[:-1],
    minus_one_of_no_elements_is_refused=lambda mover: -1 in lengths_of(mover) and 0 in mover.shape,
    zero_beside_minus_one_is_refused=lambda mover: {0, -1} <= set(lengths_of(mover)),
    zero_that_copies_is_refused=lambda mover: 0 in lengths_of(mover) and copies_zero(mover) and 0 not in mover.shape,
    more_dims_than_the_data_are_refused=lambda mover: len(lengths_of(mover)) > len(mover.shape),
    shapes_of_more_than_five_dims_are_refused=lambda mover: len(lengths_of(mover)) > 5,
    empty_shape_is_refused=lambda mover: not lengths_of(mover),
    scalar_is_refused=lambda mover: mover.shape == (),
    length_of_no_elements_is_refused=lambda mover: (
        0 in mover.shape and 0 in lengths_of(mover) and not copies_zero(mover)
    ),
)
accepts(
    THEME,
    RESHAPE,
    two_minus_ones_are_accepted="shape.minus_one",
    lengths_below_minus_one_are_accepted="shape.range",
    other_numbers_of_elements_are_accepted="shape.count",
    zero_beyond_the_rank_is_accepted="shape.zero",
    shape_of_several_dims_is_accepted="shape.rank",
    missing_shape_is_accepted="shape.required",
    shape_of_another_type_is_accepted="shape.type types.T_SHAPE",
)
accepts(THEME, "onnx.Reshape-*", zero_and_minus_one_are_accepted="allowzero.minus_one")
