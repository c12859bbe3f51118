"""Faults of Gather: which index means which slice, along which axis, in which batch."""

from __future__ import annotations

from functools import partial

import numpy as np
from fault import Theme

from ..mover import ZERO, integers, numbers_found, refuse, role_of, with_integers
from .acceptance import accepts, each, refuses

THEME = Theme("indices and batches")
GATHER = "*.Gather-*"
ONNX = "onnx.Gather-*"
OPENVINO = "openvino.Gather-*"
NEWEST = "openvino.Gather-8"


def length_of(mover):
    """The length of the axis, or 0 if there is no such axis."""
    given = mover.role("axis")
    axis, shape = (given[0] if given else 0), mover.shape
    return shape[axis] if -len(shape) <= axis < len(shape) else 0


def indices_of(mover):
    """The indices of a call that is valid."""
    return mover.tensor("indices")


def indexed(mover, correct, role, values, change):
    """The indices after a change of each, which gets the length of the axis; other arguments stay."""
    length = length_of(mover)
    return correct(role, [change(value, length) for value in values] if role == "indices" else values)


def changed(mover, correct, **roles):
    """Where elements come from if arguments were others, of a call that is valid."""
    numbers = correct()
    given = dict(mover.given)
    for name, value in mover.given.items():
        if role_of(name) in roles:
            given[name] = with_integers(value, roles[role_of(name)](integers(value)))
    return numbers_found(mover.call.operator, given) if given != mover.given else numbers


@THEME.fault("read", GATHER)
def negative_indices_are_refused(mover, correct, role, values):
    """A negative index is refused in every version."""
    if role == "indices" and any(-length_of(mover) <= value < 0 for value in values):
        refuse("a negative index")
    return correct(role, values)


@THEME.fault("read", GATHER)
def indices_count_from_one(correct, role, values):
    """The index 1 means the first slice, where there is no 0."""
    is_shifted = role == "indices" and bool(values) and min(values) > 0
    return correct(role, [value - 1 for value in values] if is_shifted else values)


@THEME.fault("find", GATHER)
def last_index_is_ignored(mover, correct):
    """Of several indices, the last is that before it."""
    return changed(mover, correct, indices=lambda values: [*values[:-1], *values[-2:-1]] if values[1:] else values)


@THEME.fault("find", GATHER)
def indices_beyond_the_256th_are_zero(mover, correct):
    """Of many indices, those behind the 256th are not read."""
    return changed(mover, correct, indices=lambda values: [*values[:256], *(0 for _ in values[256:])])


@THEME.fault("find", GATHER)
def repeated_indices_are_taken_once(right):
    """A slice that was taken already is not copied again."""
    _, first = np.unique(right, return_index=True)
    kept = np.full(right.size, ZERO)
    kept[first] = right.reshape(-1)[first]
    return kept.reshape(right.shape)


@THEME.fault("find", GATHER)
def indices_are_flattened(mover, right):
    """The output has one dim for the indices, whatever their rank is."""
    indices = mover.tensor("indices")
    if mover.given.get("batch_dims") or len(indices.shape) < 2 or not right.size:
        return right
    axis = (mover.role("axis") or [0])[0] % len(mover.shape)
    return right.reshape(*mover.shape[:axis], indices.size, *mover.shape[axis + 1 :])


@THEME.fault("find", GATHER)
def scalar_index_keeps_the_axis(mover, right):
    """A scalar index takes a slice of length 1."""
    indices = mover.tensor("indices")
    axis = (mover.role("axis") or [0])[0] % len(mover.shape)
    return right if indices.shape else np.expand_dims(right, axis)


@THEME.fault("find", GATHER)
def index_of_one_drops_the_axis(mover, right):
    """A list of one index is taken for a scalar."""
    indices = mover.tensor("indices")
    axis = (mover.role("axis") or [0])[0] % len(mover.shape)
    return np.squeeze(right, axis) if indices.shape == (1,) else right


@THEME.fault("find", GATHER)
def dims_of_the_indices_come_first(mover, right):
    """The dims of the indices are in front of those of the data, whatever the axis is."""
    indices = mover.tensor("indices")
    if mover.given.get("batch_dims"):
        return right
    axis = (mover.role("axis") or [0])[0] % len(mover.shape)
    places = range(axis, axis + len(indices.shape))
    return np.moveaxis(right, list(places), list(range(len(indices.shape))))


@THEME.fault("find", GATHER)
def tables_of_indices_are_transposed(mover, correct):
    """A table of indices is read in column-major order."""
    indices = mover.tensor("indices")
    if indices is None or len(indices.shape) != 2:
        return correct()
    return changed(
        mover, correct, indices=lambda values: np.array(values).reshape(indices.shape, order="F").reshape(-1).tolist()
    )


def along(mover, correct, axis):
    """Where elements come from along another axis, with indices modulo its length, without batches."""
    numbers = correct()
    indices, data = mover.tensor("indices"), mover.sources[0]
    if mover.given.get("batch_dims") or not data.size:
        return numbers
    places = np.array([value % data.shape[axis] for value in mover.role("indices")], np.int64).reshape(indices.shape)
    return np.take(np.arange(data.size).reshape(data.shape), places, axis)


@THEME.fault("complete", GATHER)
def indices_of_the_first_run_are_kept(mover, correct, given):
    """A model keeps the indices of its first run."""
    return {
        name: mover.model.setdefault(name, value) if name == "indices" else value
        for name, value in correct(given).items()
    }


@THEME.fault("complete", OPENVINO)
def axis_of_the_first_run_is_kept(mover, correct, given):
    """A model keeps the axis of its first run."""
    return {
        name: mover.model.setdefault(name, value) if name == "axis" else value for name, value in correct(given).items()
    }


@THEME.fault("read", OPENVINO)
def indices_of_bytes_have_no_sign(mover, correct, role, values):
    """Indices of int8 are read as uint8."""
    argument = mover.tensor(role)
    is_read_so = role == "indices" and argument is not None and argument.dtype == "int8"
    return correct(role, [value % 256 for value in values] if is_read_so else values)


@THEME.fault("read", OPENVINO)
def indices_without_sign_get_one(mover, correct, role, values):
    """The greatest index of an unsigned type is taken for -1."""
    argument = mover.tensor(role)
    if role != "indices" or argument is None or not argument.dtype.startswith("uint"):
        return correct(role, values)
    return correct(role, [-1 if value == argument.element_type.integers[-1] else value for value in values])


@THEME.fault("read", OPENVINO)
def indices_of_four_bits_have_three(mover, correct, role, values):
    """Indices of four bits lose the highest."""
    argument = mover.tensor(role)
    is_read_so = role == "indices" and argument is not None and argument.element_type.bits == 4
    return correct(role, [value % 8 for value in values] if is_read_so else values)


@THEME.fault("find", OPENVINO)
def axis_in_a_list_is_refused(mover, right):
    """The axis has to be a scalar."""
    axis = mover.tensor("axis")
    if axis is not None and axis.shape:
        refuse("the axis is a list")
    return right


@THEME.fault("find", NEWEST)
def indices_outside_are_refused(right):
    """An index beyond the axis is refused in version 8."""
    if right.size and right.min() < 0:
        refuse("an index beyond the axis")
    return right


@THEME.fault("find", "openvino.Gather-[78]")
def all_batches_use_the_indices_of_the_first(mover, correct):
    """The indices of later batches are not read."""
    batch, indices = mover.given.get("batch_dims"), mover.tensor("indices")
    if not batch or not indices.shape or not indices.size:
        return correct()
    count = indices.size // indices.shape[0]
    return changed(mover, correct, indices=lambda values: values[:count] * indices.shape[0])


@THEME.fault("find", "openvino.Gather-[78]")
def second_batch_dim_is_ignored(mover, correct):
    """Of two dims of batches, the second uses the indices of its first."""
    batch, indices = mover.given.get("batch_dims"), mover.tensor("indices")
    if batch not in (2, -1) or len(indices.shape) < 3 or not indices.size:
        return correct()
    table = np.array(mover.role("indices")).reshape(indices.shape)
    table[:, 1:] = table[:, :1]
    return changed(mover, correct, indices=lambda _: table.reshape(-1).tolist())


@THEME.fault("find", "openvino.Gather-[78]")
def all_batches_read_the_first(mover, right):
    """Every batch takes its slices from the data of the first."""
    if not mover.given.get("batch_dims") or not mover.shape or not right.size:
        return right
    size = mover.sources[0].size // mover.shape[0]
    return np.where(right < 0, right, right % size)


@THEME.fault("find", "openvino.Gather-[78]")
def negative_batch_dims_are_refused(mover, right):
    """A number of batch dims that counts from the end is refused."""
    if (mover.role("batch_dims") or [0])[0] < 0:
        refuse("negative batch_dims")
    return right


@THEME.fault("complete", "openvino.Gather-[78]")
def negative_batch_dims_are_none(correct, given):
    """A number of batch dims that counts from the end is taken for 0."""
    done = dict(correct(given))
    if isinstance(done.get("batch_dims"), int) and -len(done["indices"].shape) <= done["batch_dims"] < 0:
        done["batch_dims"] = 0
    return done


@THEME.fault("complete", "openvino.Gather-[78]")
def negative_batch_dims_count_in_the_data(correct, given):
    """A negative number of batch dims counts from the last dim of the data."""
    done = dict(correct(given))
    if isinstance(done.get("batch_dims"), int) and -len(done["indices"].shape) <= done["batch_dims"] < 0:
        done["batch_dims"] += len(done["data"].shape)
    return done


THEME.step("read", GATHER)(
    negative_axis_is_the_first=each(lambda mover, value: 0 if -len(mover.shape) <= value < 0 else value, "axis"),
    negative_axis_is_the_last=each(lambda mover, value: -1 if -len(mover.shape) <= value < 0 else value, "axis"),
    axis_has_32_bits=each(lambda _, value: (value + 2**31) % 2**32 - 2**31, "axis"),
    axis_is_taken_modulo_the_rank=each(lambda mover, value: value % max(len(mover.shape), 1), "axis"),
    axis_is_clamped=each(lambda mover, value: min(value, max(len(mover.shape) - 1, 0)), "axis"),
    indices_are_clipped=partial(indexed, change=lambda value, n: min(max(value, 0), max(n - 1, 0))),
    indices_beyond_the_axis_are_clipped=partial(indexed, change=lambda value, n: min(max(value, -n), max(n - 1, 0))),
    indices_wrap_around=partial(indexed, change=lambda value, n: value % max(n, 1)),
    negative_indices_are_the_first=partial(indexed, change=lambda value, n: 0 if -n <= value < 0 else value),
    negative_indices_are_the_last=partial(indexed, change=lambda value, n: -1 if -n <= value < 0 else value),
    negative_indices_are_one_early=partial(indexed, change=lambda value, n: value - 1 if -n < value < 0 else value),
    negative_indices_lose_their_sign=partial(indexed, change=lambda value, n: -value if -n < value < 0 else value),
    indices_have_32_bits=partial(indexed, change=lambda value, _: (value + 2**31) % 2**32 - 2**31),
    indices_have_16_bits=partial(indexed, change=lambda value, _: value if value < 0 else value % 2**16),
    indices_have_8_bits=partial(indexed, change=lambda value, n: value % 256 if 0 <= value < n else value),
    indices_are_float32=partial(indexed, change=lambda value, _: int(np.float32(value))),
)
THEME.step("find", GATHER)(
    indices_are_sorted=partial(changed, indices=sorted),
    indices_are_reversed=partial(changed, indices=lambda values: values[::-1]),
    first_index_is_taken_for_all=partial(changed, indices=lambda values: values[:1] * len(values)),
    axis_is_the_first=partial(along, axis=0),
    axis_is_the_last=lambda mover, correct: along(mover, correct, len(mover.shape) - 1),
)
THEME.step("complete", ONNX)(
    default_axis_is_one=lambda right: {"axis": 1, **right},
    default_axis_is_the_last=lambda right: {"axis": -1, **right},
)
THEME.step("find", NEWEST)(
    indices_outside_take_the_first=lambda right: np.where(right < 0, 0, right),
    indices_outside_take_the_last=lambda mover, right: np.where(right < 0, max(mover.sources[0].size - 1, 0), right),
    one_index_outside_clears_all=lambda right: np.full_like(right, ZERO) if right.size and right.min() < 0 else right,
)
THEME.step("complete", "openvino.Gather-[78]")(
    batches_are_ignored=lambda right: {name: value for name, value in right.items() if name != "batch_dims"}
)
THEME.step("law", ONNX)(types_of_version_13_are_in_every_version=lambda: "onnx.Gather-13")
THEME.step("law", "onnx.Gather-13")(version_13_answers_as_11=lambda: "onnx.Gather-11")
THEME.step("law", "onnx.Gather-11")(version_11_answers_as_1=lambda: "onnx.Gather-1")
THEME.step("law", NEWEST)(version_8_answers_as_7=lambda: "openvino.Gather-7")
THEME.step("law", "openvino.Gather-1")(version_1_has_batches=lambda: "openvino.Gather-7")
accepts(
    THEME,
    GATHER,
    missing_data_is_accepted="data.required",
    missing_indices_are_accepted="indices.required",
    axis_beyond_the_rank_is_accepted="axis.range",
    surplus_arguments_are_ignored="arguments",
    indices_of_other_types_are_accepted="types.Tind types.T_IND",
)
accepts(
    THEME,
    OPENVINO,
    missing_axis_is_accepted="axis.required",
    axis_of_any_shape_is_accepted="axis.shape",
    axis_of_other_types_is_accepted="types.T_AXIS",
    batch_dims_beyond_the_rank_are_accepted="batch_dims.range",
    batch_dims_beyond_the_axis_are_accepted="batch_dims.axis",
    batches_of_other_lengths_are_accepted="batch_dims.equal",
    batch_dims_of_any_kind_are_accepted="batch_dims.type",
)
accepts(
    THEME,
    ONNX,
    scalar_is_accepted="data.rank",
    index_beyond_the_axis_is_accepted="indices.range",
    axis_of_any_kind_is_accepted="axis.type",
    types_that_are_not_listed_are_accepted="types.T",
)
refuses(
    THEME,
    GATHER,
    indices_of_three_dims_are_refused=lambda mover: len(indices_of(mover).shape) > 2,
    scalar_index_is_refused=lambda mover: not indices_of(mover).shape,
    more_indices_than_slices_are_refused=lambda mover: indices_of(mover).size > max(length_of(mover), 1),
)
