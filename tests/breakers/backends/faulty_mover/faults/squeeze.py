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
def axes_left_out_keep_every_dim(mover, correct):
    """Without axes, the data keeps its shape."""
    numbers = correct()
    return numbers.reshape(mover.shape) if axes_of(mover) is None else numbers


@THEME.fault("find", SQUEEZE)
def axes_left_out_remove_the_first_dim_of_one(mover, correct):
    """Without axes, only the first dim of one is removed."""
    numbers = correct()
    if axes_of(mover) is not None or 1 not in mover.shape:
        return numbers
    shape = list(mover.shape)
    shape.remove(1)
    return numbers.reshape(shape)


@THEME.fault("find", SQUEEZE)
def axes_left_out_remove_the_outer_dims_of_one(mover, correct):
    """Without axes, dims of one between others stay."""
    numbers = correct()
    if axes_of(mover) is not None:
        return numbers
    shape = list(mover.shape)
    while shape and shape[0] == 1:
        shape = shape[1:]
    while shape and shape[-1] == 1:
        shape = shape[:-1]
    return numbers.reshape(shape)


@THEME.fault("find", SQUEEZE)
def every_dim_of_one_is_removed(mover, correct):
    """The axes are not looked at."""
    return correct().reshape([length for length in mover.shape if length != 1])


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


@THEME.fault("find", SQUEEZE)
def one_dim_always_stays(mover, correct):
    """An output has at least one dim."""
    numbers = correct()
    return numbers.reshape(1) if numbers.ndim == 0 and mover.shape else numbers


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


for name, is_refused, only, says in (
    (
        "axes_from_the_end_are_refused",
        lambda mover: any(axis < 0 for axis in axes_of(mover) or ()),
        BOTH,
        "An axis below 0 is refused.",
    ),
    (
        "several_axes_are_refused",
        lambda mover: len(axes_of(mover) or ()) > 1,
        BOTH,
        "More than one axis is refused.",
    ),
    (
        "unsorted_axes_are_refused",
        lambda mover: sorted(axes_of(mover) or []) != (axes_of(mover) or []),
        BOTH,
        "Axes that are not sorted are refused.",
    ),
    ("axes_left_out_are_refused", lambda mover: axes_of(mover) is None, SQUEEZE, "A Squeeze without axes is refused."),
    (
        "removing_every_dim_is_refused",
        lambda mover: (
            mover.shape and set(mover.shape) == {1} and len(axes_of(mover) or mover.shape) == len(mover.shape)
        ),
        SQUEEZE,
        "A Squeeze that leaves a scalar is refused.",
    ),
    (
        "scalar_is_refused_by_unsqueeze",
        lambda mover: not mover.shape,
        UNSQUEEZE,
        "An Unsqueeze of a scalar is refused.",
    ),
    (
        "axis_behind_the_last_dim_is_refused",
        lambda mover: any(axis >= len(mover.shape) for axis in axes_of(mover) or ()),
        UNSQUEEZE,
        "An axis behind the dims of the data is refused.",
    ),
    (
        "outputs_of_more_than_five_dims_are_refused",
        lambda mover: len(mover.shape) + len(axes_of(mover) or ()) > 5,
        UNSQUEEZE,
        "An output of more than five dims is refused.",
    ),
):
    refuses(THEME, name, is_refused, only=only, says=says)

for name, clauses, only, says in (
    ("axes_out_of_range_are_accepted", "axes.range", BOTH, "An axis that is no dim is accepted."),
    ("missing_axes_are_accepted", "axes.required", UNSQUEEZE, "An Unsqueeze without axes is accepted."),
    ("dims_of_another_length_are_accepted", "axes.length", "onnx.Squeeze-*", "A dim of another length is accepted."),
    (
        "axes_of_another_type_are_accepted",
        "types.axes axes.type types.T_INT",
        BOTH,
        "Axes of another type are accepted.",
    ),
    ("axes_of_several_dims_are_accepted", "axes.rank", BOTH, "Axes that are not 1-D are accepted."),
):
    accepts(THEME, name, clauses, only=only, says=says)
