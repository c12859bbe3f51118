"""Faults of Slice and StridedSlice: where a range starts and stops, in which steps, and along which axis."""

from __future__ import annotations

from functools import partial

import numpy as np
from fault import Theme

from ..mover import ZERO, integers, numbers_found, refuse, role_of, with_integers
from .acceptance import accepts, each, refuses

THEME = Theme("ranges and masks")
SLICES = "*Slice-*"
SLICE = "*.Slice-*"
STRIDED = "*.StridedSlice-*"
BOUNDS = ("start", "stop")


def lengths_of(mover, count):
    """The length of the dim of each of so many bounds, as far as they are known."""
    axes = mover.role("axes")
    chosen = list(range(count)) if axes is None else axes
    shape = mover.shape
    return [shape[axis] if -len(shape) <= axis < len(shape) else 0 for axis in chosen[:count]] + [0] * (
        count - len(chosen)
    )


def bounds(mover, correct, role, values, change, of=BOUNDS):
    """The bounds after a change of each, which gets the length of its dim; other arguments stay."""
    if role not in of:
        return correct(role, values)
    return correct(
        role, [change(value, length) for value, length in zip(values, lengths_of(mover, len(values)), strict=True)]
    )


def changed(mover, correct, **roles):
    """Where elements come from if arguments were others, of a call that is valid."""
    numbers = correct()
    given = dict(mover.given)
    for name, value in mover.given.items():
        change = roles.get(role_of(name))
        if change is not None:
            given[name] = with_integers(value, change(integers(value)))
    return numbers_found(mover.call.operator, given) if given != mover.given else numbers


@THEME.fault("read", SLICES)
def stop_is_included(mover, correct, role, values):
    """The element at the stop is taken, too."""
    steps = mover.role("step") or [1] * len(values)
    if role != "stop" or len(steps) != len(values):
        return correct(role, values)
    return correct(role, [value + (1 if step > 0 else -1) for value, step in zip(values, steps, strict=True)])


@THEME.fault("read", SLICES)
def start_is_one_late(mover, correct, role, values):
    """A start other than 0 counts from 1."""
    return bounds(mover, correct, role, values, lambda value, _: value + 1 if 0 < value < 2**31 else value, ("start",))


@THEME.fault("read", SLICES)
def start_before_the_dim_counts_from_the_end_again(mover, correct, role, values):
    """A start below -length wraps around."""
    return bounds(mover, correct, role, values, lambda value, n: value % n if n and value < -n else value, ("start",))


@THEME.fault("read", SLICES)
def stop_beyond_the_dim_wraps_around(mover, correct, role, values):
    """A stop beyond the dim starts at its first element again."""
    return bounds(mover, correct, role, values, lambda value, n: value % n if n and value > n else value, ("stop",))


@THEME.fault("read", SLICES)
def start_beyond_the_dim_is_its_last_element(mover, correct, role, values):
    """A start behind the last element is the last element."""
    return bounds(mover, correct, role, values, lambda value, n: min(value, max(n - 1, 0)), ("start",))


@THEME.fault("read", SLICES)
def stop_beyond_the_dim_is_refused(mover, correct, role, values):
    """A stop behind the dim is refused."""
    if role == "stop" and any(value > n for value, n in zip(values, lengths_of(mover, len(values)), strict=True)):
        refuse("stop beyond the dim")
    return correct(role, values)


@THEME.fault("read", SLICES)
def start_before_the_dim_is_refused(mover, correct, role, values):
    """A start before the dim is refused."""
    if role == "start" and any(value < -n for value, n in zip(values, lengths_of(mover, len(values)), strict=True)):
        refuse("start before the dim")
    return correct(role, values)


@THEME.fault("read", SLICES)
def stop_of_31_bits_is_minus_one(mover, correct, role, values):
    """INT32_MAX and INT64_MAX as a stop are taken for -1."""
    ends = (2**31 - 1, 2**63 - 1)
    return bounds(mover, correct, role, values, lambda value, _: -1 if value in ends else value, ("stop",))


@THEME.fault("find", SLICES)
def negative_steps_are_refused(mover, right):
    """A negative step is refused."""
    if any(step < 0 for step in mover.role("step") or []):
        refuse("negative step")
    return right


@THEME.fault("find", SLICES)
def steps_beyond_the_range_take_nothing(mover, right):
    """A range is as long as whole steps fit into it: the rest does not count."""
    steps = mover.role("step") or []
    if len(steps) != 1 or right.ndim != 1 or abs(steps[0]) < 2 or not right.size:
        return right
    starts, stops = (mover.role(role) for role in BOUNDS)
    low, high, step = slice(starts[0], stops[0], steps[0]).indices(mover.shape[0])
    return right[: abs(high - low) // abs(step)]


@THEME.fault("find", SLICES)
def backwards_begins_one_early(mover, right):
    """A backward range begins one element before its start."""
    is_backwards = any(step < 0 for step in mover.role("step") or [])
    return right[1:] if is_backwards and right.ndim else right


@THEME.fault("find", SLICES)
def backwards_leaves_the_first_out(mover, right):
    """A backward range never comes to the element 0."""
    is_backwards = any(step < 0 for step in mover.role("step") or [])
    return right[right != 0] if is_backwards and right.ndim == 1 else right


@THEME.fault("find", SLICES)
def range_that_ends_before_it_starts_holds_one(mover, right):
    """A range without elements holds its start."""
    if right.size or mover.sources[0].size == 0:
        return right
    return np.zeros([max(length, 1) for length in right.shape], np.int64)


@THEME.fault("find", SLICES)
def range_that_ends_before_it_starts_is_refused(mover, right):
    """A range without elements is refused where the data has some."""
    if not right.size and mover.sources[0].size:
        refuse("a range is empty")
    return right


@THEME.fault("find", SLICES)
def second_range_is_ignored(mover, correct):
    """Only the first range is applied, and the rest of the data taken in full."""
    starts = mover.role("start") or []
    if len(starts) < 2:
        return correct()
    return changed(
        mover,
        correct,
        start=lambda values: [values[0], *(0 for _ in values[1:])],
        stop=lambda values: [values[0], *(2**31 - 1 for _ in values[1:])],
        step=lambda values: [values[0], *(1 for _ in values[1:])],
    )


@THEME.fault("complete", SLICE)
def unsorted_axes_are_sorted_alone(correct, given):
    """Axes are sorted, and what belongs to them is not."""
    done = dict(correct(given))
    axes = done.get("axes")
    if axes is not None:
        done["axes"] = with_integers(axes, sorted(integers(axes) or []))
    return done


@THEME.fault("find", SLICE)
def default_axes_are_the_last(mover, right):
    """Without axes, ranges belong to the last dims."""
    starts, axes = mover.role("start") or [], mover.role("axes")
    rank = len(mover.shape)
    if axes is not None or len(starts) >= rank:
        return right
    name = next(name for name in mover.given if role_of(name) == "start")
    last = with_integers(mover.given[name], list(range(rank - len(starts), rank)))
    return numbers_found(mover.call.operator, {**mover.given, "axes": last})


@THEME.fault("complete", "onnx.Slice-1[0-9]")
def steps_without_axes_are_axes(correct, given):
    """Inputs are read by their position among those that are given, so steps take the place of axes."""
    done = dict(correct(given))
    if "steps" in done and "axes" not in done:
        done["axes"] = done.pop("steps")
    return done


@THEME.fault("find", SLICES)
def inner_range_starts_at_zero_in_later_rows(mover, correct):
    """In rows behind the first, the range along the last dim starts at its first element."""
    numbers = correct().copy()
    if numbers.ndim > 1 and numbers.size:
        row = int(mover.shape[-1]) or 1
        rest = numbers[1:]
        numbers[1:] = np.where(rest < 0, rest, rest - (numbers.reshape(-1)[0] % row))
    return np.maximum(numbers, ZERO)


@THEME.fault("complete", SLICES)
def bounds_of_the_first_run_are_kept(mover, correct, given):
    """A model keeps the starts and stops of its first run."""
    return {
        name: mover.model.setdefault(name, value) if role_of(name) in BOUNDS else value
        for name, value in correct(given).items()
    }


@THEME.fault("read", "openvino.*Slice-*")
def indices_of_bytes_have_no_sign(mover, correct, role, values):
    """Starts, stops and steps of int8 are read as uint8."""
    argument = mover.tensor(role)
    return correct(
        role, [value % 256 for value in values] if argument is not None and argument.dtype == "int8" else values
    )


@THEME.fault("read", "openvino.*Slice-*")
def indices_without_sign_get_one(mover, correct, role, values):
    """The greatest number of an unsigned type is taken for -1."""
    argument = mover.tensor(role)
    if argument is None or not argument.dtype.startswith("uint"):
        return correct(role, values)
    return correct(role, [-1 if value == argument.element_type.integers[-1] else value for value in values])


def without_mask(mover, correct, name):
    """Where elements come from if a mask was not given."""
    numbers = correct()
    mask = mover.given.get(name)
    if not isinstance(mask, (list, tuple)) or not any(mask):
        return numbers
    kept = {key: [0] * len(value) if key == name else value for key, value in mover.given.items()}
    return numbers_found(mover.call.operator, kept)


@THEME.fault("find", STRIDED)
def mask_of_removed_dims_keeps_them(mover, right):
    """A dim of which one element is taken stays, with the length 1."""
    mask = mover.given.get("shrink_axis_mask") or []
    if sum(mask) != 1 or mover.given.get("new_axis_mask") or mover.given.get("ellipsis_mask"):
        return right
    return np.expand_dims(right, list(mask).index(1)) if list(mask).index(1) <= right.ndim else right


@THEME.fault("complete", STRIDED)
def mask_of_begins_is_that_of_ends(correct, given):
    """The two masks are exchanged."""
    done = dict(correct(given))
    if "begin_mask" in done and "end_mask" in done:
        done["begin_mask"], done["end_mask"] = done["end_mask"], done["begin_mask"]
    return done


@THEME.fault("complete", STRIDED)
def masks_are_inverted(correct, given):
    """A begin counts where its mask is set."""
    done = dict(correct(given))
    if done.get("begin_mask"):
        done["begin_mask"] = [1 - bit if bit in (0, 1) else bit for bit in done["begin_mask"]]
    return done


@THEME.fault("complete", STRIDED)
def masks_are_read_from_their_end(correct, given):
    """The last bit of the mask of ends belongs to the first end."""
    done = dict(correct(given))
    if done.get("end_mask"):
        done["end_mask"] = done["end_mask"][::-1]
    return done


@THEME.fault("find", STRIDED)
def ellipsis_in_front_is_refused(mover, right):
    """Dims are skipped behind the others alone."""
    if list(mover.given.get("ellipsis_mask") or [])[:1] == [1]:
        refuse("ellipsis in front")
    return right


@THEME.fault("find", STRIDED)
def short_masks_are_refused(mover, right):
    """A mask that is shorter than the begins is refused."""
    begins = mover.role("start") or []
    if any(len(mask) < len(begins) for name, mask in mover.given.items() if name.endswith("_mask")):
        refuse("a mask is too short")
    return right


@THEME.fault("find", STRIDED)
def long_masks_are_refused(mover, right):
    """A mask that is longer than the begins is refused."""
    begins = mover.role("start") or []
    if any(len(mask) > len(begins) for name, mask in mover.given.items() if name.endswith("_mask")):
        refuse("a mask is too long")
    return right


THEME.step("read", SLICES)(
    steps_have_32_bits=each(lambda _, item: (item + 2**31) % 2**32 - 2**31, "step"),
    negative_stop_is_one_late=partial(bounds, change=lambda value, _: 2**40 if value == -1 else value, of=("stop",)),
    negative_start_is_the_first=partial(bounds, change=lambda value, _: max(value, 0), of=("start",)),
    negative_stop_is_the_first=partial(bounds, change=lambda value, _: max(value, 0), of=("stop",)),
    bounds_have_32_bits=partial(bounds, change=lambda value, _: (value + 2**31) % 2**32 - 2**31),
    least_bound_overflows=partial(bounds, change=lambda value, _: 2**63 - 1 if value == -(2**63) else value),
    bounds_are_float32=partial(bounds, change=lambda value, n: int(np.float32(value)) if -n <= value <= n else value),
)
THEME.step("find", SLICES)(
    steps_are_ignored=partial(changed, step=lambda steps: [1 if step > 0 else -1 for step in steps]),
    steps_of_two_are_taken_for_all=partial(changed, step=lambda steps: [max(min(step, 2), -2) for step in steps]),
    steps_lose_their_sign=partial(changed, step=lambda steps: [abs(step) for step in steps]),
)
THEME.step("find", SLICE)(axes_are_ignored=partial(changed, axes=lambda axes: list(range(len(axes)))))
THEME.step("law", "onnx.Slice-1[0-9]")(types_of_version_13_are_in_every_version=lambda: "onnx.Slice-13")
THEME.step("law", "onnx.Slice-13")(version_13_answers_as_11=lambda: "onnx.Slice-11")
THEME.step("law", "onnx.Slice-1[13]")(
    axes_count_from_the_front_alone=lambda mover, correct: "onnx.Slice-10" if mover.dtype != "bfloat16" else correct()
)
THEME.step("find", STRIDED)(
    mask_of_begins_is_ignored=partial(without_mask, name="begin_mask"),
    mask_of_ends_is_ignored=partial(without_mask, name="end_mask"),
    strides_may_not_be_left_out=lambda mover, right: refuse("no strides") if mover.role("step") is None else right,
)
THEME.step("complete", STRIDED)(
    new_axes_are_not_inserted=lambda right: {name: value for name, value in right.items() if name != "new_axis_mask"},
    ellipsis_is_a_range=lambda right: {name: value for name, value in right.items() if name != "ellipsis_mask"},
)
accepts(
    THEME,
    SLICES,
    missing_data_is_accepted="data.required",
    missing_start_is_accepted="starts.required start.required begin.required",
    missing_stop_is_accepted="ends.required stop.required end.required",
    other_numbers_are_accepted="indices.number",
    bounds_of_another_rank_are_accepted="indices.rank",
    step_of_zero_is_accepted="steps.zero stride.zero",
    indices_of_other_types_are_accepted="types.Tind types.T_IND",
)
accepts(
    THEME,
    "openvino.Slice-*",
    missing_step_is_accepted="step.required",
    axis_may_come_twice="axes.unique",
    scalar_is_accepted="data.rank",
)
accepts(
    THEME,
    STRIDED,
    missing_mask_is_accepted="begin_mask.required end_mask.required",
    two_ellipses_are_accepted="ellipsis_mask.once",
    masks_of_other_numbers_are_accepted="masks.values",
)
accepts(THEME, SLICE, axis_beyond_the_rank_is_accepted="axes.range")
accepts(
    THEME,
    "onnx.Slice-*",
    surplus_arguments_are_ignored="arguments",
    types_that_are_not_listed_are_accepted="types.T",
)
accepts(THEME, "onnx.Slice-1", bounds_of_any_kind_are_accepted="indices.type")
refuses(THEME, SLICE, unsorted_axes_are_refused=lambda mover: (axes := mover.role("axes")) and axes != sorted(axes))
refuses(
    THEME,
    SLICES,
    whole_range_is_refused=lambda mover: [*(mover.role(role) for role in BOUNDS)] == [[0], [*mover.shape[-1:]]],
)
THEME.step("read", SLICE)(
    negative_axis_is_the_last=each(lambda mover, value: -1 if -len(mover.shape) <= value < 0 else value, "axes"),
    negative_axis_is_the_first=each(lambda mover, value: 0 if -len(mover.shape) <= value < 0 else value, "axes"),
    axes_have_32_bits=each(lambda _, value: (value + 2**31) % 2**32 - 2**31, "axes"),
    axes_are_taken_modulo_the_rank=each(lambda mover, value: value % max(len(mover.shape), 1), "axes"),
)
