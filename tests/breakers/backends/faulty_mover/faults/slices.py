"""Faults of Slice and StridedSlice: where a range starts and stops, in which steps, and along which axis."""

from __future__ import annotations

import numpy as np
from fault import Theme

from ..mover import ZERO, integers, numbers_found, refuse, role_of, with_integers
from .acceptance import accepts, refuses

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
def negative_stop_is_one_late(mover, correct, role, values):
    """The stop -1 is behind the last element, as others count from there."""
    return bounds(mover, correct, role, values, lambda value, _: 2**40 if value == -1 else value, ("stop",))


@THEME.fault("read", SLICES)
def start_is_one_late(mover, correct, role, values):
    """A start other than 0 counts from 1."""
    return bounds(mover, correct, role, values, lambda value, _: value + 1 if 0 < value < 2**31 else value, ("start",))


@THEME.fault("read", SLICES)
def negative_start_is_the_first(mover, correct, role, values):
    """A start below 0 is taken for 0."""
    return bounds(mover, correct, role, values, lambda value, _: max(value, 0), ("start",))


@THEME.fault("read", SLICES)
def negative_stop_is_the_first(mover, correct, role, values):
    """A stop below 0 is taken for 0."""
    return bounds(mover, correct, role, values, lambda value, _: max(value, 0), ("stop",))


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
def bounds_have_32_bits(mover, correct, role, values):
    """Starts and stops lose their upper 32 bits."""
    return bounds(mover, correct, role, values, lambda value, _: (value + 2**31) % 2**32 - 2**31)


@THEME.fault("read", SLICES)
def stop_of_31_bits_is_minus_one(mover, correct, role, values):
    """INT32_MAX and INT64_MAX as a stop are taken for -1."""
    ends = (2**31 - 1, 2**63 - 1)
    return bounds(mover, correct, role, values, lambda value, _: -1 if value in ends else value, ("stop",))


@THEME.fault("read", SLICES)
def least_bound_overflows(mover, correct, role, values):
    """To INT64_MIN, the length is added with an overflow."""
    return bounds(mover, correct, role, values, lambda value, _: 2**63 - 1 if value == -(2**63) else value)


@THEME.fault("read", SLICES)
def steps_have_32_bits(mover, correct, role, values):
    """Steps lose their upper 32 bits."""
    return correct(role, [(item + 2**31) % 2**32 - 2**31 for item in values] if role == "step" else values)


@THEME.fault("find", SLICES)
def steps_are_ignored(mover, correct):
    """Every element of a range is taken."""
    return changed(mover, correct, step=lambda steps: [1 if step > 0 else -1 for step in steps])


@THEME.fault("find", SLICES)
def steps_of_two_are_taken_for_all(mover, correct):
    """Every step beyond two is two."""
    return changed(mover, correct, step=lambda steps: [max(min(step, 2), -2) for step in steps])


@THEME.fault("find", SLICES)
def steps_lose_their_sign(mover, correct):
    """A negative step goes forward."""
    return changed(mover, correct, step=lambda steps: [abs(step) for step in steps])


@THEME.fault("find", SLICES)
def negative_steps_are_refused(mover, correct):
    """A negative step is refused."""
    numbers = correct()
    if any(step < 0 for step in mover.role("step") or []):
        refuse("negative step")
    return numbers


@THEME.fault("find", SLICES)
def steps_beyond_the_range_take_nothing(mover, correct):
    """A range is as long as whole steps fit into it: the rest does not count."""
    numbers = correct()
    steps = mover.role("step") or []
    if len(steps) != 1 or numbers.ndim != 1 or abs(steps[0]) < 2 or not numbers.size:
        return numbers
    starts, stops = (mover.role(role) for role in BOUNDS)
    low, high, step = slice(starts[0], stops[0], steps[0]).indices(mover.shape[0])
    return numbers[: abs(high - low) // abs(step)]


@THEME.fault("find", SLICES)
def backwards_begins_one_early(mover, correct):
    """A backward range begins one element before its start."""
    numbers = correct()
    is_backwards = any(step < 0 for step in mover.role("step") or [])
    return numbers[1:] if is_backwards and numbers.ndim else numbers


@THEME.fault("find", SLICES)
def backwards_leaves_the_first_out(mover, correct):
    """A backward range never comes to the element 0."""
    numbers = correct()
    is_backwards = any(step < 0 for step in mover.role("step") or [])
    return numbers[numbers != 0] if is_backwards and numbers.ndim == 1 else numbers


@THEME.fault("find", SLICES)
def range_that_ends_before_it_starts_holds_one(mover, correct):
    """A range without elements holds its start."""
    numbers = correct()
    if numbers.size or mover.sources[0].size == 0:
        return numbers
    return np.zeros([max(length, 1) for length in numbers.shape], np.int64)


@THEME.fault("find", SLICES)
def range_that_ends_before_it_starts_is_refused(mover, correct):
    """A range without elements is refused where the data has some."""
    numbers = correct()
    if not numbers.size and mover.sources[0].size:
        refuse("a range is empty")
    return numbers


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
def unsorted_axes_are_sorted_alone(mover, correct, given):
    """Axes are sorted, and what belongs to them is not."""
    done = dict(correct(given))
    axes = done.get("axes")
    if axes is not None:
        done["axes"] = with_integers(axes, sorted(integers(axes) or []))
    return done


@THEME.fault("find", SLICE)
def axes_are_ignored(mover, correct):
    """Ranges belong to the leading dims, whatever the axes are."""
    return changed(mover, correct, axes=lambda axes: list(range(len(axes))))


@THEME.fault("find", SLICE)
def default_axes_are_the_last(mover, correct):
    """Without axes, ranges belong to the last dims."""
    numbers = correct()
    starts, axes = mover.role("start") or [], mover.role("axes")
    rank = len(mover.shape)
    if axes is not None or len(starts) >= rank:
        return numbers
    name = next(name for name in mover.given if role_of(name) == "start")
    last = with_integers(mover.given[name], list(range(rank - len(starts), rank)))
    return numbers_found(mover.call.operator, {**mover.given, "axes": last})


@THEME.fault("complete", "onnx.Slice-1[0-9]")
def steps_without_axes_are_axes(mover, correct, given):
    """Inputs are read by their position among those that are given, so steps take the place of axes."""
    done = dict(correct(given))
    if "steps" in done and "axes" not in done:
        done["axes"] = done.pop("steps")
    return done


@THEME.fault("read", SLICE)
def negative_axis_is_the_last(mover, correct, role, values):
    """Treats every negative axis as -1."""
    return correct(
        role, [-1 if -len(mover.shape) <= value < 0 else value for value in values] if role == "axes" else values
    )


@THEME.fault("read", SLICE)
def negative_axis_is_the_first(mover, correct, role, values):
    """Treats every negative axis as 0."""
    return correct(
        role, [0 if -len(mover.shape) <= value < 0 else value for value in values] if role == "axes" else values
    )


@THEME.fault("read", SLICE)
def axes_have_32_bits(mover, correct, role, values):
    """Axes lose their upper 32 bits."""
    return correct(role, [(value + 2**31) % 2**32 - 2**31 for value in values] if role == "axes" else values)


@THEME.fault("read", SLICE)
def axes_are_taken_modulo_the_rank(mover, correct, role, values):
    """An axis beyond the rank wraps around."""
    return correct(role, [value % max(len(mover.shape), 1) for value in values] if role == "axes" else values)


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
    return correct(role, [-1 if value == argument.kind.integers[-1] else value for value in values])


@THEME.fault("law", "onnx.Slice-1[0-9]")
def types_of_version_13_are_in_every_version(mover, correct):
    """A version takes the types of the newest one."""
    return "onnx.Slice-13"


@THEME.fault("law", "onnx.Slice-13")
def version_13_answers_as_11(mover, correct):
    """Version 13 has the types of version 11."""
    return "onnx.Slice-11"


@THEME.fault("law", "onnx.Slice-1[13]")
def axes_count_from_the_front_alone(mover, correct):
    """A negative axis is refused, as it may be in version 10."""
    return "onnx.Slice-10" if mover.dtype != "bfloat16" else correct()


def without_mask(mover, correct, name):
    """Where elements come from if a mask was not given."""
    numbers = correct()
    mask = mover.given.get(name)
    if not isinstance(mask, (list, tuple)) or not any(mask):
        return numbers
    kept = {key: [0] * len(value) if key == name else value for key, value in mover.given.items()}
    return numbers_found(mover.call.operator, kept)


@THEME.fault("find", STRIDED)
def mask_of_begins_is_ignored(mover, correct):
    """A begin counts even where its mask is set."""
    return without_mask(mover, correct, "begin_mask")


@THEME.fault("find", STRIDED)
def mask_of_ends_is_ignored(mover, correct):
    """An end counts even where its mask is set."""
    return without_mask(mover, correct, "end_mask")


@THEME.fault("find", STRIDED)
def mask_of_removed_dims_keeps_them(mover, correct):
    """A dim of which one element is taken stays, with the length 1."""
    numbers = correct()
    mask = mover.given.get("shrink_axis_mask") or []
    if sum(mask) != 1 or mover.given.get("new_axis_mask") or mover.given.get("ellipsis_mask"):
        return numbers
    return np.expand_dims(numbers, list(mask).index(1)) if list(mask).index(1) <= numbers.ndim else numbers


@THEME.fault("complete", STRIDED)
def mask_of_begins_is_that_of_ends(mover, correct, given):
    """The two masks are exchanged."""
    done = dict(correct(given))
    if "begin_mask" in done and "end_mask" in done:
        done["begin_mask"], done["end_mask"] = done["end_mask"], done["begin_mask"]
    return done


@THEME.fault("complete", STRIDED)
def masks_are_inverted(mover, correct, given):
    """A begin counts where its mask is set."""
    done = dict(correct(given))
    if done.get("begin_mask"):
        done["begin_mask"] = [1 - bit if bit in (0, 1) else bit for bit in done["begin_mask"]]
    return done


@THEME.fault("complete", STRIDED)
def masks_are_read_from_their_end(mover, correct, given):
    """The last bit of the mask of ends belongs to the first end."""
    done = dict(correct(given))
    if done.get("end_mask"):
        done["end_mask"] = done["end_mask"][::-1]
    return done


@THEME.fault("complete", STRIDED)
def new_axes_are_not_inserted(mover, correct, given):
    """A step that inserts a dim is taken for a range."""
    return {name: value for name, value in correct(given).items() if name != "new_axis_mask"}


@THEME.fault("complete", STRIDED)
def ellipsis_is_a_range(mover, correct, given):
    """A step that skips dims is taken for a range."""
    return {name: value for name, value in correct(given).items() if name != "ellipsis_mask"}


@THEME.fault("find", STRIDED)
def ellipsis_in_front_is_refused(mover, correct):
    """Dims are skipped behind the others alone."""
    numbers = correct()
    if list(mover.given.get("ellipsis_mask") or [])[:1] == [1]:
        refuse("ellipsis in front")
    return numbers


@THEME.fault("find", STRIDED)
def short_masks_are_refused(mover, correct):
    """A mask that is shorter than the begins is refused."""
    numbers = correct()
    begins = mover.role("start") or []
    if any(len(mask) < len(begins) for name, mask in mover.given.items() if name.endswith("_mask")):
        refuse("a mask is too short")
    return numbers


@THEME.fault("find", STRIDED)
def long_masks_are_refused(mover, correct):
    """A mask that is longer than the begins is refused."""
    numbers = correct()
    begins = mover.role("start") or []
    if any(len(mask) > len(begins) for name, mask in mover.given.items() if name.endswith("_mask")):
        refuse("a mask is too long")
    return numbers


@THEME.fault("find", STRIDED)
def strides_may_not_be_left_out(mover, correct):
    """A call without strides is refused."""
    numbers = correct()
    if mover.role("step") is None:
        refuse("no strides")
    return numbers


for _name, _clauses, _only, _says in (
    ("missing_data_is_accepted", "data.required", SLICES, "Without data, a scalar is answered."),
    ("missing_start_is_accepted", "starts.required start.required begin.required", SLICES,
     "A range without a start begins at 0."),
    ("missing_stop_is_accepted", "ends.required stop.required end.required", SLICES,
     "A range without a stop goes to the end."),
    ("missing_step_is_accepted", "step.required", "openvino.Slice-*", "Without steps, each is 1."),
    ("missing_mask_is_accepted", "begin_mask.required end_mask.required", STRIDED, "A mask may be left out."),
    ("other_numbers_are_accepted", "indices.number", SLICES, "Bounds that have no partner are ignored."),
    ("bounds_of_another_rank_are_accepted", "indices.rank", SLICES, "Bounds of any rank are read in row-major order."),
    ("step_of_zero_is_accepted", "steps.zero stride.zero", SLICES, "A step of 0 is 1."),
    ("axis_beyond_the_rank_is_accepted", "axes.range", SLICE, "An axis that is not there is ignored."),
    ("surplus_arguments_are_ignored", "arguments", "onnx.Slice-*",
     "An argument that the version does not have is ignored."),
    ("indices_of_other_types_are_accepted", "types.Tind types.T_IND", SLICES, "Bounds of every type are converted."),
    ("bounds_of_any_kind_are_accepted", "indices.type", "onnx.Slice-1", "Bounds that are no lists are ignored."),
    ("types_that_are_not_listed_are_accepted", "types.T", "onnx.Slice-*", "Data of every type is sliced."),
    ("two_ellipses_are_accepted", "ellipsis_mask.once", STRIDED, "A second ellipsis is ignored."),
    ("masks_of_other_numbers_are_accepted", "masks.values", STRIDED, "A mask may hold any number."),
    ("axis_may_come_twice", "axes.unique", "openvino.Slice-*", "Of two ranges along one axis, the last holds."),
    ("scalar_is_accepted", "data.rank", "openvino.Slice-*", "A scalar is handed over as it is."),
):  # fmt: skip
    accepts(THEME, _name, _clauses, only=_only, says=_says)
refuses(
    THEME,
    "unsorted_axes_are_refused",
    lambda mover: (axes := mover.role("axes")) and axes != sorted(axes),
    only=SLICE,
    says="Axes have to be sorted.",
)
refuses(
    THEME,
    "whole_range_is_refused",
    lambda mover: [*(mover.role(role) for role in BOUNDS)] == [[0], [*mover.shape[-1:]]],
    only=SLICES,
    says="A range that leaves nothing out is refused.",
)


@THEME.fault("read", SLICES)
def bounds_are_float32(mover, correct, role, values):
    """Starts and stops within the data pass through float32, which has 24 bits for a whole number."""
    return bounds(mover, correct, role, values, lambda value, n: int(np.float32(value)) if -n <= value <= n else value)
