"""Faults of Gather: which index means which slice, along which axis, in which batch."""

from __future__ import annotations

import numpy as np
from fault import Theme

from ..mover import ZERO, integers, numbers_found, refuse, role_of, with_integers
from .acceptance import accepts, refuses

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
def indices_are_clipped(mover, correct, role, values):
    """An index beyond the axis is the nearest that is there, and a negative one the first."""
    return indexed(mover, correct, role, values, lambda value, n: min(max(value, 0), max(n - 1, 0)))


@THEME.fault("read", GATHER)
def indices_beyond_the_axis_are_clipped(mover, correct, role, values):
    """An index behind the axis is the last, and one before it the first."""
    return indexed(mover, correct, role, values, lambda value, n: min(max(value, -n), max(n - 1, 0)))


@THEME.fault("read", GATHER)
def indices_wrap_around(mover, correct, role, values):
    """An index is taken modulo the length of the axis."""
    return indexed(mover, correct, role, values, lambda value, n: value % max(n, 1))


@THEME.fault("read", GATHER)
def negative_indices_are_the_first(mover, correct, role, values):
    """A negative index is taken for 0."""
    return indexed(mover, correct, role, values, lambda value, n: 0 if -n <= value < 0 else value)


@THEME.fault("read", GATHER)
def negative_indices_are_the_last(mover, correct, role, values):
    """A negative index is taken for -1."""
    return indexed(mover, correct, role, values, lambda value, n: -1 if -n <= value < 0 else value)


@THEME.fault("read", GATHER)
def negative_indices_are_one_early(mover, correct, role, values):
    """A negative index counts from the last element, not from behind it."""
    return indexed(mover, correct, role, values, lambda value, n: value - 1 if -n < value < 0 else value)


@THEME.fault("read", GATHER)
def negative_indices_lose_their_sign(mover, correct, role, values):
    """A negative index counts from the front."""
    return indexed(mover, correct, role, values, lambda value, n: -value if -n < value < 0 else value)


@THEME.fault("read", GATHER)
def negative_indices_are_refused(mover, correct, role, values):
    """A negative index is refused in every version."""
    if role == "indices" and any(-length_of(mover) <= value < 0 for value in values):
        refuse("a negative index")
    return correct(role, values)


@THEME.fault("read", GATHER)
def indices_count_from_one(mover, correct, role, values):
    """The index 1 means the first slice, where there is no 0."""
    is_shifted = role == "indices" and bool(values) and min(values) > 0
    return correct(role, [value - 1 for value in values] if is_shifted else values)


@THEME.fault("read", GATHER)
def indices_have_32_bits(mover, correct, role, values):
    """Indices lose their upper 32 bits."""
    return indexed(mover, correct, role, values, lambda value, _: (value + 2**31) % 2**32 - 2**31)


@THEME.fault("read", GATHER)
def indices_have_16_bits(mover, correct, role, values):
    """Indices lose all above 16 bits."""
    return indexed(mover, correct, role, values, lambda value, _: value if value < 0 else value % 2**16)


@THEME.fault("read", GATHER)
def indices_have_8_bits(mover, correct, role, values):
    """Indices from 0 on lose all above 8 bits."""
    return indexed(mover, correct, role, values, lambda value, n: value % 256 if 0 <= value < n else value)


@THEME.fault("find", GATHER)
def indices_are_sorted(mover, correct):
    """Slices come in the order of the data."""
    return changed(mover, correct, indices=sorted)


@THEME.fault("find", GATHER)
def indices_are_reversed(mover, correct):
    """The last index comes first."""
    return changed(mover, correct, indices=lambda values: values[::-1])


@THEME.fault("find", GATHER)
def first_index_is_taken_for_all(mover, correct):
    """All slices are the first one."""
    return changed(mover, correct, indices=lambda values: values[:1] * len(values))


@THEME.fault("find", GATHER)
def last_index_is_ignored(mover, correct):
    """Of several indices, the last is that before it."""
    return changed(mover, correct, indices=lambda values: [*values[:-1], *values[-2:-1]] if values[1:] else values)


@THEME.fault("find", GATHER)
def indices_beyond_the_256th_are_zero(mover, correct):
    """Of many indices, those behind the 256th are not read."""
    return changed(mover, correct, indices=lambda values: [*values[:256], *(0 for _ in values[256:])])


@THEME.fault("find", GATHER)
def repeated_indices_are_taken_once(mover, correct):
    """A slice that was taken already is not copied again."""
    numbers = correct()
    _, first = np.unique(numbers, return_index=True)
    kept = np.full(numbers.size, ZERO)
    kept[first] = numbers.reshape(-1)[first]
    return kept.reshape(numbers.shape)


@THEME.fault("find", GATHER)
def indices_are_flattened(mover, correct):
    """The output has one dim for the indices, whatever their rank is."""
    numbers = correct()
    indices = mover.tensor("indices")
    if mover.given.get("batch_dims") or len(indices.shape) < 2 or not numbers.size:
        return numbers
    axis = (mover.role("axis") or [0])[0] % len(mover.shape)
    return numbers.reshape(*mover.shape[:axis], indices.size, *mover.shape[axis + 1 :])


@THEME.fault("find", GATHER)
def scalar_index_keeps_the_axis(mover, correct):
    """A scalar index takes a slice of length 1."""
    numbers = correct()
    indices = mover.tensor("indices")
    axis = (mover.role("axis") or [0])[0] % len(mover.shape)
    return numbers if indices.shape else np.expand_dims(numbers, axis)


@THEME.fault("find", GATHER)
def index_of_one_drops_the_axis(mover, correct):
    """A list of one index is taken for a scalar."""
    numbers = correct()
    indices = mover.tensor("indices")
    axis = (mover.role("axis") or [0])[0] % len(mover.shape)
    return np.squeeze(numbers, axis) if indices.shape == (1,) else numbers


@THEME.fault("find", GATHER)
def dims_of_the_indices_come_first(mover, correct):
    """The dims of the indices are in front of those of the data, whatever the axis is."""
    numbers = correct()
    indices = mover.tensor("indices")
    if mover.given.get("batch_dims"):
        return numbers
    axis = (mover.role("axis") or [0])[0] % len(mover.shape)
    places = range(axis, axis + len(indices.shape))
    return np.moveaxis(numbers, list(places), list(range(len(indices.shape))))


@THEME.fault("find", GATHER)
def tables_of_indices_are_transposed(mover, correct):
    """A table of indices is read in column-major order."""
    indices = mover.tensor("indices")
    if indices is None or len(indices.shape) != 2:
        return correct()
    return changed(
        mover, correct, indices=lambda values: np.array(values).reshape(indices.shape, order="F").reshape(-1).tolist()
    )


@THEME.fault("find", GATHER)
def axis_is_the_first(mover, correct):
    """Slices are taken along the first axis, as far as the indices are there."""
    return along(mover, correct, 0)


@THEME.fault("find", GATHER)
def axis_is_the_last(mover, correct):
    """Slices are taken along the last axis, as far as the indices are there."""
    return along(mover, correct, len(mover.shape) - 1)


def along(mover, correct, axis):
    """Where elements come from along another axis, with indices modulo its length, without batches."""
    numbers = correct()
    indices, data = mover.tensor("indices"), mover.sources[0]
    if mover.given.get("batch_dims") or not data.size:
        return numbers
    places = np.array([value % data.shape[axis] for value in mover.role("indices")], np.int64).reshape(indices.shape)
    return np.take(np.arange(data.size).reshape(data.shape), places, axis)


@THEME.fault("read", GATHER)
def negative_axis_is_the_first(mover, correct, role, values):
    """A negative axis is taken for 0."""
    return correct(
        role, [0 if -len(mover.shape) <= value < 0 else value for value in values] if is_axis(role) else values
    )


@THEME.fault("read", GATHER)
def negative_axis_is_the_last(mover, correct, role, values):
    """A negative axis is taken for -1."""
    return correct(
        role, [-1 if -len(mover.shape) <= value < 0 else value for value in values] if is_axis(role) else values
    )


@THEME.fault("read", GATHER)
def axis_has_32_bits(mover, correct, role, values):
    """The axis loses its upper 32 bits."""
    return correct(role, [(value + 2**31) % 2**32 - 2**31 for value in values] if is_axis(role) else values)


@THEME.fault("read", GATHER)
def axis_is_taken_modulo_the_rank(mover, correct, role, values):
    """An axis beyond the rank wraps around."""
    return correct(role, [value % max(len(mover.shape), 1) for value in values] if is_axis(role) else values)


@THEME.fault("read", GATHER)
def axis_is_clamped(mover, correct, role, values):
    """An axis beyond the rank is the last."""
    return correct(role, [min(value, max(len(mover.shape) - 1, 0)) for value in values] if is_axis(role) else values)


def is_axis(role):
    """Whether an argument is the axis."""
    return role == "axis"


@THEME.fault("complete", ONNX)
def default_axis_is_one(mover, correct, given):
    """Without an axis, slices are taken along axis 1."""
    return {"axis": 1, **correct(given)}


@THEME.fault("complete", ONNX)
def default_axis_is_the_last(mover, correct, given):
    """Without an axis, slices are taken along the last one."""
    return {"axis": -1, **correct(given)}


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
    return correct(role, [-1 if value == argument.kind.integers[-1] else value for value in values])


@THEME.fault("read", OPENVINO)
def indices_of_four_bits_have_three(mover, correct, role, values):
    """Indices of four bits lose the highest."""
    argument = mover.tensor(role)
    is_read_so = role == "indices" and argument is not None and argument.kind.bits == 4
    return correct(role, [value % 8 for value in values] if is_read_so else values)


@THEME.fault("find", OPENVINO)
def axis_in_a_list_is_refused(mover, correct):
    """The axis has to be a scalar."""
    numbers = correct()
    axis = mover.tensor("axis")
    if axis is not None and axis.shape:
        refuse("the axis is a list")
    return numbers


@THEME.fault("find", NEWEST)
def indices_outside_take_the_first(mover, correct):
    """Where zeros are due, the first element of the data stands."""
    numbers = correct()
    return np.where(numbers < 0, 0, numbers)


@THEME.fault("find", NEWEST)
def indices_outside_take_the_last(mover, correct):
    """Where zeros are due, the last element of the data stands."""
    numbers = correct()
    return np.where(numbers < 0, max(mover.sources[0].size - 1, 0), numbers)


@THEME.fault("find", NEWEST)
def indices_outside_are_refused(mover, correct):
    """An index beyond the axis is refused in version 8."""
    numbers = correct()
    if numbers.size and numbers.min() < 0:
        refuse("an index beyond the axis")
    return numbers


@THEME.fault("find", NEWEST)
def one_index_outside_clears_all(mover, correct):
    """Where one index is beyond the axis, all of the output is zero."""
    numbers = correct()
    return np.full_like(numbers, ZERO) if numbers.size and numbers.min() < 0 else numbers


@THEME.fault("complete", "openvino.Gather-[78]")
def batches_are_ignored(mover, correct, given):
    """Slices are taken for all batches by all indices."""
    return {name: value for name, value in correct(given).items() if name != "batch_dims"}


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
def all_batches_read_the_first(mover, correct):
    """Every batch takes its slices from the data of the first."""
    numbers = correct()
    if not mover.given.get("batch_dims") or not mover.shape or not numbers.size:
        return numbers
    size = mover.sources[0].size // mover.shape[0]
    return np.where(numbers < 0, numbers, numbers % size)


@THEME.fault("find", "openvino.Gather-[78]")
def negative_batch_dims_are_refused(mover, correct):
    """A number of batch dims that counts from the end is refused."""
    numbers = correct()
    if (mover.role("batch_dims") or [0])[0] < 0:
        refuse("negative batch_dims")
    return numbers


@THEME.fault("complete", "openvino.Gather-[78]")
def negative_batch_dims_are_none(mover, correct, given):
    """A number of batch dims that counts from the end is taken for 0."""
    done = dict(correct(given))
    if isinstance(done.get("batch_dims"), int) and -len(done["indices"].shape) <= done["batch_dims"] < 0:
        done["batch_dims"] = 0
    return done


@THEME.fault("complete", "openvino.Gather-[78]")
def negative_batch_dims_count_in_the_data(mover, correct, given):
    """A negative number of batch dims counts from the last dim of the data."""
    done = dict(correct(given))
    if isinstance(done.get("batch_dims"), int) and -len(done["indices"].shape) <= done["batch_dims"] < 0:
        done["batch_dims"] += len(done["data"].shape)
    return done


@THEME.fault("law", ONNX)
def types_of_version_13_are_in_every_version(mover, correct):
    """A version takes the types of the newest one."""
    return "onnx.Gather-13"


@THEME.fault("law", "onnx.Gather-13")
def version_13_answers_as_11(mover, correct):
    """Version 13 has the types of version 11."""
    return "onnx.Gather-11"


@THEME.fault("law", "onnx.Gather-11")
def version_11_answers_as_1(mover, correct):
    """Version 11 counts indices from the front alone, as version 1 may."""
    return "onnx.Gather-1"


@THEME.fault("law", NEWEST)
def version_8_answers_as_7(mover, correct):
    """Version 8 refuses what version 7 has no rule for."""
    return "openvino.Gather-7"


@THEME.fault("law", "openvino.Gather-1")
def version_1_has_batches(mover, correct):
    """Version 1 takes the batches of version 7."""
    return "openvino.Gather-7"


for _name, _clauses, _only, _says in (
    ("missing_data_is_accepted", "data.required", GATHER, "Without data, a scalar is answered."),
    ("missing_indices_are_accepted", "indices.required", GATHER, "Without indices, all slices are taken."),
    ("missing_axis_is_accepted", "axis.required", OPENVINO, "Without an axis, the first is taken."),
    ("scalar_is_accepted", "data.rank", ONNX, "A scalar is handed over as it is."),
    ("index_beyond_the_axis_is_accepted", "indices.range", ONNX, "An index beyond the axis is ignored."),
    ("axis_beyond_the_rank_is_accepted", "axis.range", GATHER, "An axis that is not there is ignored."),
    ("axis_of_any_kind_is_accepted", "axis.type", ONNX, "An axis that is no integer is ignored."),
    ("axis_of_any_shape_is_accepted", "axis.shape", OPENVINO, "Of several axes, the first holds."),
    ("surplus_arguments_are_ignored", "arguments", GATHER, "An argument that the version does not have is ignored."),
    ("indices_of_other_types_are_accepted", "types.Tind types.T_IND", GATHER, "Indices of every type are converted."),
    ("axis_of_other_types_is_accepted", "types.T_AXIS", OPENVINO, "An axis of any type is converted."),
    ("types_that_are_not_listed_are_accepted", "types.T", ONNX, "Slices of every type are taken."),
    ("batch_dims_beyond_the_rank_are_accepted", "batch_dims.range", OPENVINO, "There may be too many batch dims."),
    ("batch_dims_beyond_the_axis_are_accepted", "batch_dims.axis", OPENVINO, "The axis may be a dim of batches."),
    ("batches_of_other_lengths_are_accepted", "batch_dims.equal", OPENVINO, "Batches may differ in length."),
    ("batch_dims_of_any_kind_are_accepted", "batch_dims.type", OPENVINO, "A number that is none is ignored."),
):  # fmt: skip
    accepts(THEME, _name, _clauses, only=_only, says=_says)
refuses(
    THEME,
    "indices_of_three_dims_are_refused",
    lambda mover: len(indices_of(mover).shape) > 2,
    only=GATHER,
    says="Indices have at most two dims.",
)
refuses(
    THEME,
    "scalar_index_is_refused",
    lambda mover: not indices_of(mover).shape,
    only=GATHER,
    says="Indices have to be a list.",
)
refuses(
    THEME,
    "more_indices_than_slices_are_refused",
    lambda mover: indices_of(mover).size > max(length_of(mover), 1),
    only=GATHER,
    says="There are no more indices than slices.",
)


@THEME.fault("read", GATHER)
def indices_are_float32(mover, correct, role, values):
    """Indices pass through float32, which has 24 bits for a whole number."""
    return indexed(mover, correct, role, values, lambda value, _: int(np.float32(value)))
