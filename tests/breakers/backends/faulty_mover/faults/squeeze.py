"""Faults of Squeeze and Unsqueeze: which dims are meant, counted from where, and in which order."""

from __future__ import annotations

from fault import Theme

from ..mover import refuse
from .acceptance import accepts, refuses

THEME = Theme("dims of one")
SQUEEZE, UNSQUEEZE, BOTH = "*.Squeeze-*", "*.Unsqueeze-*", "*.*queeze-*"


def axes_of(mover):
    """The axes as they are given; None if they are left out."""
    return mover.role("axes")


def reshaped(mover, correct, shape):
    """The elements in their order, in a shape that they may not fill."""
    numbers = correct().reshape(-1)
    found = shape(list(mover.shape))
    if any(length < 0 for length in found):
        refuse("a length below 0")
    return numbers[: _product(found)].reshape(found) if _product(found) <= numbers.size else refuse("too few elements")


def _product(lengths):
    product = 1
    for length in lengths:
        product *= length
    return product


@THEME.fault("find", SQUEEZE)
def axes_left_out_remove_the_first_dim_of_one(mover, right):
    """Without axes, only the first dim of one is removed."""
    if axes_of(mover) is not None or 1 not in mover.shape:
        return right
    shape = list(mover.shape)
    shape.remove(1)
    return right.reshape(shape)


@THEME.fault("find", SQUEEZE)
def axes_left_out_remove_the_outer_dims_of_one(mover, right):
    """Without axes, dims of one between others stay."""
    if axes_of(mover) is not None:
        return right
    shape = list(mover.shape)
    while shape and shape[0] == 1:
        shape = shape[1:]
    while shape and shape[-1] == 1:
        shape = shape[:-1]
    return right.reshape(shape)


@THEME.fault("find", SQUEEZE)
def only_the_first_axis_is_removed(mover, correct):
    """Of several axes, the first counts."""
    axes = axes_of(mover)
    if not axes or len(axes) < 2:
        return correct()
    return reshaped(mover, correct, lambda shape: [n for at, n in enumerate(shape) if at != axes[0] % len(shape)])


@THEME.fault("find", SQUEEZE)
def only_the_last_axis_is_removed(mover, correct):
    """Of several axes, the last counts."""
    axes = axes_of(mover)
    if not axes or len(axes) < 2:
        return correct()
    return reshaped(mover, correct, lambda shape: [n for at, n in enumerate(shape) if at != axes[-1] % len(shape)])


@THEME.fault("find", SQUEEZE)
def axes_are_removed_one_after_the_other(mover, correct):
    """Each axis counts in the shape that the ones before it left."""
    axes = axes_of(mover)
    if not axes:
        return correct()

    def left(shape):
        for axis in dict.fromkeys(axes):
            if not -len(shape) <= axis < len(shape):
                refuse("an axis is out of range")
            if shape[axis] == 1:
                shape.pop(axis)
        return shape

    return reshaped(mover, correct, left)


@THEME.fault("find", "openvino.Squeeze-*")
def dims_of_another_length_are_refused(mover, correct):
    """An axis of a dim that is not 1 is refused, not skipped."""
    numbers, shape = correct(), mover.shape
    if any(shape[axis] != 1 for axis in axes_of(mover) or ()):
        refuse("a dim is longer than 1")
    return numbers


@THEME.fault("find", UNSQUEEZE)
def axes_from_the_end_count_in_the_data(mover, correct):
    """An axis below 0 counts from the end of the data's dims, not of the output's."""
    axes, rank = axes_of(mover) or [], len(mover.shape)
    numbers = correct()
    found = [axis + rank if axis < 0 else axis for axis in axes]
    if any(axis < 0 for axis in found) or len(set(found)) < len(found):
        refuse("an axis is out of range")
    return numbers.reshape(inserted(mover.shape, found))


@THEME.fault("find", UNSQUEEZE)
def axes_count_in_the_data(mover, correct):
    """A dim is inserted in front of the dim of the data that the axis names."""
    axes, rank = axes_of(mover) or [], len(mover.shape)
    numbers = correct()
    if any(axis < 0 for axis in axes):
        return numbers
    shape = list(mover.shape)
    for axis in sorted(axes, reverse=True):
        shape.insert(min(axis, rank), 1)
    return numbers.reshape(shape)


@THEME.fault("find", UNSQUEEZE)
def axes_are_inserted_in_their_order(mover, correct):
    """Axes that are not sorted are inserted one after the other."""
    axes, numbers = axes_of(mover) or [], correct()
    rank = len(mover.shape) + len(axes)
    shape = list(mover.shape)
    for axis in axes:
        shape.insert(axis % rank, 1)
    return numbers.reshape(shape)


@THEME.fault("find", UNSQUEEZE)
def only_the_first_axis_is_inserted(mover, correct):
    """Of several axes, the first counts."""
    axes, numbers = axes_of(mover) or [], correct()
    return numbers.reshape(inserted(mover.shape, [axes[0] % (len(mover.shape) + 1)])) if len(axes) > 1 else numbers


@THEME.fault("find", UNSQUEEZE)
def every_dim_is_inserted_in_front(mover, correct):
    """New dims stand in front of the data's."""
    return correct().reshape([1] * len(axes_of(mover) or []) + list(mover.shape))


@THEME.fault("find", UNSQUEEZE)
def every_dim_is_inserted_at_the_end(mover, correct):
    """New dims stand behind the data's."""
    return correct().reshape(list(mover.shape) + [1] * len(axes_of(mover) or []))


@THEME.fault("find", UNSQUEEZE)
def neighbours_become_one_dim(mover, correct):
    """Of axes side by side, one is inserted."""
    axes, numbers = axes_of(mover) or [], correct()
    rank = len(mover.shape) + len(axes)
    found = sorted(axis % rank for axis in axes)
    first = [axis for axis in found if axis - 1 not in found]
    return (
        numbers.reshape(inserted(mover.shape, first))
        if len(first) < len(found) and max(first) <= len(mover.shape)
        else numbers
    )


def inserted(shape, axes):
    """A shape with dims of one at these places of the output."""
    rest = iter(shape)
    return [1 if at in axes else next(rest) for at in range(len(shape) + len(axes))]


THEME.step("find", SQUEEZE)(
    axes_left_out_keep_every_dim=lambda mover, right: right.reshape(mover.shape) if axes_of(mover) is None else right,
    every_dim_of_one_is_removed=lambda mover, right: right.reshape([length for length in mover.shape if length != 1]),
    one_dim_always_stays=lambda mover, right: right.reshape(1) if right.ndim == 0 and mover.shape else right,
)
refuses(
    THEME,
    BOTH,
    axes_from_the_end_are_refused=lambda mover: any(axis < 0 for axis in axes_of(mover) or ()),
    several_axes_are_refused=lambda mover: len(axes_of(mover) or ()) > 1,
    unsorted_axes_are_refused=lambda mover: sorted(axes_of(mover) or []) != (axes_of(mover) or []),
)
refuses(
    THEME,
    SQUEEZE,
    axes_left_out_are_refused=lambda mover: axes_of(mover) is None,
    removing_every_dim_is_refused=lambda mover: (
        mover.shape and set(mover.shape) == {1} and (len(axes_of(mover) or mover.shape) == len(mover.shape))
    ),
)
refuses(
    THEME,
    UNSQUEEZE,
    scalar_is_refused_by_unsqueeze=lambda mover: not mover.shape,
    axis_behind_the_last_dim_is_refused=lambda mover: any(axis >= len(mover.shape) for axis in axes_of(mover) or ()),
    outputs_of_more_than_five_dims_are_refused=lambda mover: len(mover.shape) + len(axes_of(mover) or ()) > 5,
)
accepts(
    THEME,
    BOTH,
    axes_out_of_range_are_accepted="axes.range",
    axes_of_another_type_are_accepted="types.axes axes.type types.T_INT",
    axes_of_several_dims_are_accepted="axes.rank",
)
accepts(THEME, UNSQUEEZE, missing_axes_are_accepted="axes.required")
accepts(THEME, "onnx.Squeeze-*", dims_of_another_length_are_accepted="axes.length")
