"""Faults of Concat: which tensors are joined, in which order, and along which axis."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
from fault import Theme

from ..mover import ZERO, is_data, refuse
from .acceptance import accepts, each, refuses

THEME = Theme("tensors and their axis")
CONCAT = "*.Concat-*"


def axis_of(mover):
    """The axis, counted from the front, of a call that is valid."""
    given = mover.role("axis")
    return (given[0] if given else 1) % len(mover.shape)


def tables(mover):
    """The numbers of the elements of each tensor, in its shape."""
    starts = np.cumsum([0, *(source.size for source in mover.sources)])
    return [
        np.arange(start, start + source.size).reshape(source.shape)
        for start, source in zip(starts, mover.sources, strict=False)
    ]


def joined(mover, correct, change, axis=None):
    """Where elements come from if other tables are joined, of a call that is valid."""
    correct()
    return np.concatenate(change(tables(mover)), axis_of(mover) if axis is None else axis)


@THEME.fault("find", CONCAT)
def first_tensor_comes_again(mover, correct):
    """A tensor of the shape of the first is taken for the first."""
    return joined(mover, correct, lambda parts: [parts[0] if part.shape == parts[0].shape else part for part in parts])


@THEME.fault("find", CONCAT)
def last_tensor_is_not_copied(mover, correct):
    """Of several tensors, there is room for the last, with zeros in it."""
    return joined(mover, correct, lambda parts: [*parts[:-1], np.full_like(parts[-1], ZERO)] if parts[1:] else parts)


@THEME.fault("find", CONCAT)
def more_than_64_tensors_are_refused(mover, correct):
    """More than 64 tensors are refused."""
    if len(mover.sources) > 64:
        refuse("more than 64 tensors")
    return correct()


@THEME.fault("find", CONCAT)
def tensors_without_elements_hide_the_next(mover, correct):
    """Behind a tensor without elements, a tensor is left out."""

    def change(parts):
        kept = [part for before, part in pairwise(parts) if before.size]
        return [parts[0], *kept]

    return joined(mover, correct, change)


@THEME.fault("find", CONCAT)
def length_is_counted_from_the_first(mover, right):
    """The output has room for as many tensors as long as the first."""
    shape = list(mover.shape)
    shape[axis_of(mover)] *= len(mover.sources)
    return np.resize(right, shape)


@THEME.fault("find", CONCAT)
def rows_start_at_those_of_the_first(mover, correct):
    """Behind the axis 0, each tensor is read as if its rows were as long as those of the first."""
    correct()
    axis, first = axis_of(mover), mover.shape

    def read(part):
        width = int(np.prod(first[axis:]))
        places = np.add.outer(
            np.arange(int(np.prod(part.shape[:axis]))) * width, np.arange(int(np.prod(part.shape[axis:])))
        )
        return part.reshape(-1)[places.reshape(-1) % max(part.size, 1)].reshape(part.shape) if part.size else part

    return np.concatenate([read(part) for part in tables(mover)], axis)


@THEME.fault("find", CONCAT)
def axis_is_the_first(mover, right):
    """Tensors are joined along the first axis, if that is possible."""
    parts = tables(mover)
    return np.concatenate(parts, 0) if len({part.shape[1:] for part in parts}) == 1 else right


@THEME.fault("find", CONCAT)
def axis_is_the_last(mover, right):
    """Tensors are joined along the last axis, if that is possible."""
    parts = tables(mover)
    return np.concatenate(parts, -1) if len({part.shape[:-1] for part in parts}) == 1 else right


@THEME.fault("find", CONCAT)
def axis_beyond_the_fourth_is_refused(mover, right):
    """The fifth axis and those behind it are refused."""
    if axis_of(mover) > 3:
        refuse("axis beyond the fourth")
    return right


@THEME.fault("find", CONCAT)
def inner_axis_is_joined_as_the_first(mover, right):
    """Along an axis that is neither the first nor the last, the tensors lie one after the other."""
    is_inner = 0 < axis_of(mover) < len(mover.shape) - 1
    return np.arange(right.size).reshape(right.shape) if is_inner else right


@THEME.fault("complete", "onnx.Concat-1")
def default_axis_is_the_last(right):
    """Without an axis, tensors are joined along the last, and so is everything else."""
    return {**right, "axis": -1 % max(len(right["inputs_0"].shape), 1)} if "inputs_0" in right else right


@THEME.fault("law", "onnx.Concat-*")
def types_of_version_13_are_in_every_version(mover, correct):
    """A version takes the types of the newest one."""
    return correct() if "axis" not in mover.given else "onnx.Concat-13"


@THEME.fault("complete", CONCAT)
def tensors_of_the_first_run_are_kept(mover, correct, given):
    """A model keeps all tensors but the first from its first run."""
    done = dict(correct(given))
    for name in [name for name in done if is_data(name) and name != "inputs_0"]:
        done[name] = mover.model.setdefault(name, done[name])
    return done


@THEME.fault("complete", CONCAT)
def second_tensor_is_read_in_the_type_of_the_first(correct, given):
    """Tensors of other types are converted to that of the first."""
    done = dict(correct(given))
    names = [name for name in done if is_data(name)]
    for name in names[1:]:
        if done[name].dtype != done[names[0]].dtype and done[name].shape == done[names[0]].shape:
            done[name] = done[names[0]]
    return done


THEME.step("find", CONCAT)(
    tensors_come_in_reverse=partial(joined, change=lambda parts: parts[::-1]),
    last_two_tensors_change_places=partial(joined, change=lambda parts: [*parts[:-2], *parts[-2:][::-1]]),
    last_tensor_is_left_out=partial(joined, change=lambda parts: parts[:-1] or parts),
    third_tensor_is_left_out=partial(joined, change=lambda parts: parts[:2]),
    sixteen_tensors_are_joined=partial(joined, change=lambda parts: parts[:16]),
    single_tensor_is_refused=lambda mover, right: refuse("one tensor") if len(mover.sources) == 1 else right,
    shape_is_that_of_the_first=lambda mover, right: np.resize(right, mover.shape),
    memory_of_tensors_is_joined=lambda right: np.arange(right.size).reshape(right.shape),
)
THEME.step("complete", "onnx.Concat-1")(default_axis_is_the_first=lambda right: {"axis": 0, **right})
THEME.step("complete", "onnx.Concat-[4-9]*")(axis_may_be_left_out=lambda right: {"axis": 1, **right})
THEME.step("complete", "onnx.Concat-1[13]")(axis_may_be_left_out_from_11_on=lambda right: {"axis": 1, **right})
THEME.step("law", "onnx.Concat-*")(versions_from_4_on_have_the_types_of_1=lambda: "onnx.Concat-1")
THEME.step("law", "onnx.Concat-13")(version_13_answers_as_11=lambda: "onnx.Concat-11")
THEME.step("law", "onnx.Concat-1[13]")(
    negative_axis_is_refused=lambda mover, correct: "onnx.Concat-4" if mover.dtype != "bfloat16" else correct()
)
accepts(
    THEME,
    CONCAT,
    no_tensors_are_accepted="inputs.required",
    other_ranks_are_accepted="inputs.rank",
    other_lengths_are_accepted="inputs.shape",
    missing_axis_is_accepted="axis.required",
    axis_beyond_the_rank_is_accepted="axis.range",
    types_that_are_not_listed_are_accepted="types.T",
)
accepts(THEME, "onnx.Concat-*", axis_of_any_kind_is_accepted="axis.type")
refuses(
    THEME,
    CONCAT,
    tensors_of_unequal_lengths_are_refused=lambda mover: len({source.shape for source in mover.sources}) > 1,
    vectors_are_refused=lambda mover: len(mover.shape) == 1,
)
THEME.step("read", CONCAT)(
    negative_axis_is_the_first=each(lambda mover, value: 0 if -len(mover.shape) <= value < 0 else value),
    negative_axis_is_the_last=each(lambda mover, value: -1 if -len(mover.shape) <= value < 0 else value),
    negative_axis_loses_its_sign=each(lambda mover, value: abs(value) if -len(mover.shape) < value < 0 else value),
    axis_has_32_bits=each(lambda _, value: (value + 2**31) % 2**32 - 2**31),
    axis_is_taken_modulo_the_rank=each(lambda mover, value: value % max(len(mover.shape), 1)),
    axis_is_clamped=each(lambda mover, value: min(value, max(len(mover.shape) - 1, 0))),
)
