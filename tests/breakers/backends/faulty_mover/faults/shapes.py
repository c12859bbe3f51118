"""Outputs of another shape, of another number, and what has no elements."""

from __future__ import annotations

import numpy as np
from fault import Theme

from ..mover import refuse, zeros

THEME = Theme("shapes and empty outputs")
WITH_SCALARS = "*.*[!t]-*"


@THEME.fault("answer")
def dims_of_one_are_dropped(correct, outputs):
    """An output has no dims of one."""
    return correct([output.reshape([length for length in output.shape if length != 1]) for output in outputs])


@THEME.fault("answer")
def leading_dim_of_one_is_dropped(correct, outputs):
    """A leading dim of one of several is taken for a batch that nobody needs."""
    return correct(
        [output.reshape(output.shape[1:]) if output.ndim > 1 and len(output) == 1 else output for output in outputs]
    )


@THEME.fault("answer")
def vector_gets_a_leading_dim(correct, outputs):
    """Outputs have at least two dims."""
    return correct([output.reshape(1, -1) if output.ndim == 1 else output for output in outputs])


@THEME.fault("answer")
def last_two_dims_of_the_shape_are_exchanged(correct, outputs):
    """The elements are right, and the last two lengths exchanged."""
    return correct(
        [
            output.reshape(*output.shape[:-2], output.shape[-1], output.shape[-2]) if output.ndim > 1 else output
            for output in outputs
        ]
    )


@THEME.fault("answer")
def last_place_of_the_first_dim_is_cut_off(correct, outputs):
    """The first dim is one too short."""
    return correct([output[:-1] if output.ndim else output for output in outputs])


@THEME.fault("answer")
def output_has_room_for_one_more(correct, outputs):
    """The last dim is one too long, and the additional places hold zeros."""
    return correct(
        [
            np.concatenate([output, zeros((*output.shape[:-1], 1), output.dtype)], axis=-1) if output.ndim else output
            for output in outputs
        ]
    )


@THEME.fault("answer")
def empty_output_is_a_vector(correct, outputs):
    """An output without elements loses its other dims."""
    return correct([output if output.size else output.reshape(0) for output in outputs])


@THEME.fault("answer")
def empty_dim_becomes_one(correct, outputs):
    """A length of 0 counts as 1, and the element is zero."""
    return correct(
        [
            output if output.size else zeros(tuple(max(length, 1) for length in output.shape), output.dtype)
            for output in outputs
        ]
    )


@THEME.fault("find")
def empty_data_is_refused(mover, correct):
    """A tensor without elements is refused."""
    if any(not source.size for source in mover.sources):
        refuse("a tensor is empty")
    return correct()


@THEME.fault("find")
def more_than_five_dims_are_refused(mover, correct):
    """Data with more than five dims is refused."""
    if len(mover.shape) > 5:
        refuse("more than five dims")
    return correct()


@THEME.fault("find")
def more_than_six_dims_are_refused(mover, correct):
    """Data with more than six dims is refused."""
    if len(mover.shape) > 6:
        refuse("more than six dims")
    return correct()


@THEME.fault("answer")
def more_than_8_dims_are_refused(mover, correct, outputs):
    """Data or an output with more than eight dims is refused."""
    if max(len(mover.shape), *(output.ndim for output in outputs)) > 8:
        refuse("more than eight dims")
    return correct(outputs)


@THEME.fault("answer")
def dims_behind_the_eighth_are_lost(correct, outputs):
    """An output has its first eight dims alone, as a table of strides with eight entries has."""
    return correct([output.reshape(*output.shape[:7], -1) if output.ndim > 8 else output for output in outputs])


THEME.step("answer")(
    output_is_flat=lambda correct, outputs: correct([output.reshape(-1) for output in outputs]),
    empty_output_is_dropped=lambda correct, outputs: correct([output for output in outputs if output.size]),
    output_comes_twice=lambda correct, outputs: correct(outputs * 2),
)
THEME.step("find")(empty_output_is_refused=lambda right: refuse("the output is empty") if not right.size else right)
