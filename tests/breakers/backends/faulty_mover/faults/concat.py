"""Faults of Concat: which tensors are joined, in which order, and along which axis."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from fault import Theme

from ..mover import ZERO, is_data, refuse
from .acceptance import accepts, refuses

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
def tensors_come_in_reverse(mover, correct):
    """The last tensor comes first."""
    return joined(mover, correct, lambda parts: parts[::-1])


@THEME.fault("find", CONCAT)
def last_two_tensors_change_places(mover, correct):
    """The last tensor comes before the one in front of it."""
    return joined(mover, correct, lambda parts: [*parts[:-2], *parts[-2:][::-1]])


@THEME.fault("find", CONCAT)
def first_tensor_comes_again(mover, correct):
    """A tensor of the shape of the first is taken for the first."""
    return joined(mover, correct, lambda parts: [parts[0] if part.shape == parts[0].shape else part for part in parts])


@THEME.fault("find", CONCAT)
def last_tensor_is_left_out(mover, correct):
    """Of several tensors, the last is not joined."""
    return joined(mover, correct, lambda parts: parts[:-1] or parts)


@THEME.fault("find", CONCAT)
def last_tensor_is_not_copied(mover, correct):
    """Of several tensors, there is room for the last, with zeros in it."""
    return joined(mover, correct, lambda parts: [*parts[:-1], np.full_like(parts[-1], ZERO)] if parts[1:] else parts)


@THEME.fault("find", CONCAT)
def third_tensor_is_left_out(mover, correct):
    """Two tensors are joined, and others left out."""
    return joined(mover, correct, lambda parts: parts[:2])


@THEME.fault("find", CONCAT)
def sixteen_tensors_are_joined(mover, correct):
    """Tensors beyond the sixteenth are left out."""
    return joined(mover, correct, lambda parts: parts[:16])


@THEME.fault("find", CONCAT)
def more_than_64_tensors_are_refused(mover, correct):
    """More than 64 tensors are refused."""
    if len(mover.sources) > 64:
        refuse("more than 64 tensors")
    return correct()


@THEME.fault("find", CONCAT)
def single_tensor_is_refused(mover, correct):
    """One tensor alone is refused."""
    numbers = correct()
    if len(mover.sources) == 1:
        refuse("one tensor")
    return numbers


@THEME.fault("find", CONCAT)
def tensors_without_elements_hide_the_next(mover, correct):
    """Behind a tensor without elements, a tensor is left out."""

    def change(parts):
        kept = [part for before, part in pairwise(parts) if before.size]
        return [parts[0], *kept]

    return joined(mover, correct, change)


@THEME.fault("find", CONCAT)
def shape_is_that_of_the_first(mover, correct):
    """The output has the shape of the first tensor, and what fits into it."""
    return np.resize(correct(), mover.shape)


@THEME.fault("find", CONCAT)
def length_is_counted_from_the_first(mover, correct):
    """The output has room for as many tensors as long as the first."""
    numbers = correct()
    shape = list(mover.shape)
    shape[axis_of(mover)] *= len(mover.sources)
    return np.resize(numbers, shape)


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
def axis_is_the_first(mover, correct):
    """Tensors are joined along the first axis, if that is possible."""
    numbers = correct()
    parts = tables(mover)
    return np.concatenate(parts, 0) if len({part.shape[1:] for part in parts}) == 1 else numbers


@THEME.fault("find", CONCAT)
def axis_is_the_last(mover, correct):
    """Tensors are joined along the last axis, if that is possible."""
    numbers = correct()
    parts = tables(mover)
    return np.concatenate(parts, -1) if len({part.shape[:-1] for part in parts}) == 1 else numbers


@THEME.fault("find", CONCAT)
def memory_of_tensors_is_joined(mover, correct):
    """The tensors lie one after the other in memory, whatever the axis is."""
    numbers = correct()
    return np.arange(numbers.size).reshape(numbers.shape)


@THEME.fault("read", CONCAT)
def negative_axis_is_the_first(mover, correct, role, values):
    """A negative axis is taken for 0."""
    return correct(role, [0 if -len(mover.shape) <= value < 0 else value for value in values])


@THEME.fault("read", CONCAT)
def negative_axis_is_the_last(mover, correct, role, values):
    """A negative axis is taken for -1."""
    return correct(role, [-1 if -len(mover.shape) <= value < 0 else value for value in values])


@THEME.fault("read", CONCAT)
def negative_axis_loses_its_sign(mover, correct, role, values):
    """A negative axis counts from the front."""
    return correct(role, [abs(value) if -len(mover.shape) < value < 0 else value for value in values])


@THEME.fault("read", CONCAT)
def axis_has_32_bits(mover, correct, role, values):
    """The axis loses its upper 32 bits."""
    return correct(role, [(value + 2**31) % 2**32 - 2**31 for value in values])


@THEME.fault("read", CONCAT)
def axis_is_taken_modulo_the_rank(mover, correct, role, values):
    """An axis beyond the rank wraps around."""
    return correct(role, [value % max(len(mover.shape), 1) for value in values])


@THEME.fault("read", CONCAT)
def axis_is_clamped(mover, correct, role, values):
    """An axis beyond the rank is the last."""
    return correct(role, [min(value, max(len(mover.shape) - 1, 0)) for value in values])


@THEME.fault("find", CONCAT)
def axis_beyond_the_fourth_is_refused(mover, correct):
    """The fifth axis and those behind it are refused."""
    numbers = correct()
    if axis_of(mover) > 3:
        refuse("axis beyond the fourth")
    return numbers


@THEME.fault("find", CONCAT)
def inner_axis_is_joined_as_the_first(mover, correct):
    """Along an axis that is neither the first nor the last, the tensors lie one after the other."""
    numbers = correct()
    is_inner = 0 < axis_of(mover) < len(mover.shape) - 1
    return np.arange(numbers.size).reshape(numbers.shape) if is_inner else numbers


@THEME.fault("complete", "onnx.Concat-1")
def default_axis_is_the_first(mover, correct, given):
    """Without an axis, tensors are joined along the first."""
    return {"axis": 0, **correct(given)}


@THEME.fault("complete", "onnx.Concat-1")
def default_axis_is_the_last(mover, correct, given):
    """Without an axis, tensors are joined along the last, and so is everything else."""
    done = correct(given)
    return {**done, "axis": -1 % max(len(done["inputs_0"].shape), 1)} if "inputs_0" in done else done


@THEME.fault("complete", "onnx.Concat-[4-9]*")
def axis_may_be_left_out(mover, correct, given):
    """Without an axis, tensors are joined along axis 1."""
    return {"axis": 1, **correct(given)}


@THEME.fault("complete", "onnx.Concat-1[13]")
def axis_may_be_left_out_from_11_on(mover, correct, given):
    """Without an axis, tensors are joined along axis 1 in newer versions, too."""
    return {"axis": 1, **correct(given)}


@THEME.fault("law", "onnx.Concat-*")
def types_of_version_13_are_in_every_version(mover, correct):
    """A version takes the types of the newest one."""
    return correct() if "axis" not in mover.given else "onnx.Concat-13"


@THEME.fault("law", "onnx.Concat-*")
def versions_from_4_on_have_the_types_of_1(mover, correct):
    """A newer version takes floats alone."""
    return "onnx.Concat-1"


@THEME.fault("law", "onnx.Concat-13")
def version_13_answers_as_11(mover, correct):
    """Version 13 has the types of version 11."""
    return "onnx.Concat-11"


@THEME.fault("law", "onnx.Concat-1[13]")
def negative_axis_is_refused(mover, correct):
    """The axis counts from the front alone, as in version 4."""
    return "onnx.Concat-4" if mover.dtype != "bfloat16" else correct()


@THEME.fault("complete", CONCAT)
def tensors_of_the_first_run_are_kept(mover, correct, given):
    """A model keeps all tensors but the first from its first run."""
    done = dict(correct(given))
    for name in [name for name in done if is_data(name) and name != "inputs_0"]:
        done[name] = mover.model.setdefault(name, done[name])
    return done


@THEME.fault("complete", CONCAT)
def second_tensor_is_read_in_the_type_of_the_first(mover, correct, given):
    """Tensors of other types are converted to that of the first."""
    done = dict(correct(given))
    names = [name for name in done if is_data(name)]
    for name in names[1:]:
        if done[name].dtype != done[names[0]].dtype and done[name].shape == done[names[0]].shape:
            done[name] = done[names[0]]
    return done


for _name, _clauses, _says in (
    ("no_tensors_are_accepted", "inputs.required", "Without tensors, a scalar is answered."),
    ("other_ranks_are_accepted", "inputs.rank", "Tensors of another rank are joined as far as they reach."),
    ("other_lengths_are_accepted", "inputs.shape", "Tensors of other lengths are joined as far as they reach."),
    ("missing_axis_is_accepted", "axis.required", "An axis that is missing is 0."),
    ("axis_beyond_the_rank_is_accepted", "axis.range", "An axis that is not there is ignored."),
    ("types_that_are_not_listed_are_accepted", "types.T", "Tensors of every type are joined."),
):
    accepts(THEME, _name, _clauses, only=CONCAT, says=_says)
accepts(
    THEME,
    "axis_of_any_kind_is_accepted",
    "axis.type",
    only="onnx.Concat-*",
    says="An axis that is no integer is ignored.",
)
refuses(
    THEME,
    "tensors_of_unequal_lengths_are_refused",
    lambda mover: len({source.shape for source in mover.sources}) > 1,
    only=CONCAT,
    says="Tensors have to be of one shape.",
)
refuses(
    THEME,
    "vectors_are_refused",
    lambda mover: len(mover.shape) == 1,
    only=CONCAT,
    says="Tensors have to have two dims.",
)
