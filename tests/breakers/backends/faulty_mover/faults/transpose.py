"""Faults of Transpose: how the order of the dims is read, and what it means."""

from __future__ import annotations

from functools import partial

import numpy as np
from fault import Theme

from ..mover import role_of, with_integers
from .acceptance import accepts, each, refuses

THEME = Theme("order of dims")
TRANSPOSE = "*.Transpose-*"


def ordered(mover, correct, change):
    """Where elements come from with another order of the dims, if the call is valid."""
    correct()
    rank = len(mover.shape)
    order = mover.role("order") or list(range(rank))[::-1]
    (data,) = (source for source in mover.sources)
    numbers = np.arange(data.size).reshape(data.shape)
    return numbers.transpose(change(order))


def exchanged_last(order):
    """The order with its last two entries exchanged."""
    return [*order[:-2], *order[-2:][::-1]]


@THEME.fault("find", TRANSPOSE)
def default_order_keeps_the_dims(mover, correct):
    """Without an order, the data is handed over as it is."""
    return ordered(mover, correct, lambda order: order if mover.role("order") else sorted(order))


@THEME.fault("find", TRANSPOSE)
def default_order_exchanges_the_last_two(mover, correct):
    """Without an order, only the last two dims change places."""
    return ordered(mover, correct, lambda order: order if mover.role("order") else exchanged_last(sorted(order)))


@THEME.fault("find", TRANSPOSE)
def default_order_exchanges_the_outermost(mover, correct):
    """Without an order, only the first and the last dim change places."""

    def change(order):
        return order if mover.role("order") or len(order) < 2 else [order[0], *sorted(order[1:-1]), order[-1]]

    return ordered(mover, correct, change)


@THEME.fault("find", TRANSPOSE)
def rotations_turn_the_other_way(mover, correct):
    """An order that rotates three dims is inverted."""
    rotations = ([1, 2, 0], [2, 0, 1])
    return ordered(mover, correct, lambda order: np.argsort(order) if list(order) in rotations else order)


@THEME.fault("find", TRANSPOSE)
def first_dim_stays(mover, correct):
    """Of more than two dims, the first is taken for the batch and stays."""

    def change(order):
        return [0, *(dim for dim in order if dim)] if len(order) > 2 else order

    return ordered(mover, correct, change)


@THEME.fault("find", TRANSPOSE)
def squares_are_not_transposed(mover, correct):
    """Dims of one length are not exchanged, since the shape stays."""

    def change(order):
        shape = mover.shape
        return sorted(order) if [shape[dim] for dim in order] == list(shape) else order

    return ordered(mover, correct, change)


@THEME.fault("find", TRANSPOSE)
def dims_of_one_stop_the_move(mover, right):
    """Data with a dim of one is only given another shape."""
    return np.arange(right.size).reshape(right.shape) if 1 in mover.shape else right


@THEME.fault("find", TRANSPOSE)
def tiles_at_the_edge_are_not_moved(correct):
    """Matrices are moved in tiles of 32 by 32; what is left at the edges is not."""
    numbers = correct().copy()
    if numbers.ndim == 2 and min(numbers.shape) > 32:
        numbers[numbers.shape[0] // 32 * 32 :] = -1
        numbers[:, numbers.shape[1] // 32 * 32 :] = -1
    return numbers


@THEME.fault("find", TRANSPOSE)
def channels_last_is_channels_first(mover, correct):
    """The order 0, 3, 1, 2 does what 0, 2, 3, 1 does."""
    return ordered(mover, correct, lambda order: [0, 2, 3, 1] if list(order) == [0, 3, 1, 2] else order)


@THEME.fault("find", TRANSPOSE)
def shape_is_inferred_from_the_inverse(mover, right):
    """The elements come in the right order, in the shape of the inverse."""
    order = mover.role("order") or list(range(len(mover.shape)))[::-1]
    return right.reshape([mover.shape[dim] for dim in np.argsort(order)])


@THEME.fault("read", TRANSPOSE)
def entries_count_from_the_end(mover, correct, role, values):
    """A negative entry counts from the last dim."""
    rank = len(mover.shape)
    return correct(role, [value + rank if -rank <= value < 0 else value for value in values])


@THEME.fault("read", TRANSPOSE)
def order_too_short_goes_on(mover, correct, role, values):
    """An order that is too short goes on with the dims that it does not name."""
    return correct(
        role, [*values, *(dim for dim in range(len(mover.shape)) if dim not in values)] if values else values
    )


@THEME.fault("complete", TRANSPOSE)
def order_of_the_first_run_is_kept(mover, correct, given):
    """A model keeps the order of its first run."""
    return {
        name: mover.model.setdefault("order", value) if role_of(name) == "order" else value
        for name, value in correct(given).items()
    }


@THEME.fault("find", TRANSPOSE)
def order_at_run_time_is_inverted(mover, correct):
    """An order that comes at run time is inverted."""
    return ordered(mover, correct, lambda order: np.argsort(order) if mover.has_runtime_arguments else order)


@THEME.fault("read", "openvino.Transpose-*")
def order_of_bytes_is_refused(mover, correct, role, values):
    """Entries of 8 bits are read in groups of four."""
    order = mover.tensor(role)
    return correct(role, values[:1] if order is not None and order.element_type.bits == 8 else values)


@THEME.fault("complete", "openvino.Transpose-*")
def empty_order_keeps_the_dims(correct, given):
    """An empty order is the one in which the dims lie."""
    done = dict(correct(given))
    order, data = done.get("input_order"), done.get("arg")
    if order is not None and data is not None and not order.size and order.element_type.bits == 64:
        done["input_order"] = with_integers(order, list(range(len(data.shape))))
    return done


@THEME.fault("law", "onnx.Transpose-*")
def types_of_version_25_are_in_every_version(mover, correct):
    """A version takes the types of the newest one."""
    return "onnx.Transpose-25" if mover.version < 25 else correct()


@THEME.fault("find", TRANSPOSE)
def order_is_inverted_where_dims_are_equal(mover, correct):
    """Dim perm[i] of the output is dim i of the data, where all dims have one length and the shape shows nothing."""
    return ordered(mover, correct, np.argsort if len(set(mover.shape)) == 1 else list)


THEME.step("find", TRANSPOSE)(
    order_is_inverted=partial(ordered, change=np.argsort),
    order_is_read_from_its_end=partial(ordered, change=lambda order: order[::-1]),
    order_is_not_applied=partial(ordered, change=sorted),
    every_order_reverses=partial(ordered, change=lambda order: sorted(order, reverse=True)),
    every_order_exchanges_the_last_two=partial(ordered, change=lambda order: exchanged_last(sorted(order))),
    dims_beyond_the_fourth_stay=partial(ordered, change=lambda order: sorted(order) if len(order) > 4 else order),
)
THEME.step("read", TRANSPOSE)(
    entries_have_32_bits=each(lambda _, value: (value + 2**31) % 2**32 - 2**31),
    entries_are_taken_modulo_the_rank=each(lambda mover, value: value % max(len(mover.shape), 1)),
    entries_are_clamped=each(lambda mover, value: min(max(value, 0), max(len(mover.shape) - 1, 0))),
    surplus_entries_are_ignored=lambda mover, correct, role, values: correct(role, values[: max(len(mover.shape), 1)]),
)
THEME.step("law", "onnx.Transpose-*")(
    versions_from_13_on_answer_as_1=lambda: "onnx.Transpose-1",
    version_13_takes_what_21_takes=lambda mover, correct: "onnx.Transpose-21" if mover.version == 13 else correct(),
    version_21_takes_what_23_takes=lambda mover, correct: "onnx.Transpose-23" if mover.version == 21 else correct(),
    version_24_takes_what_25_takes=lambda mover, correct: "onnx.Transpose-25" if mover.version == 24 else correct(),
)
accepts(
    THEME,
    TRANSPOSE,
    missing_data_is_accepted="data.required arg.required",
    order_of_another_length_is_accepted="perm.length input_order.length",
    dim_may_come_twice="perm.once input_order.once",
    surplus_arguments_are_ignored="arguments",
)
accepts(
    THEME,
    "onnx.Transpose-*",
    order_beyond_the_rank_is_accepted="perm.range",
    order_of_any_kind_is_accepted="perm.type",
)
accepts(
    THEME,
    "openvino.Transpose-*",
    missing_order_is_accepted="input_order.required",
    order_of_another_rank_is_accepted="input_order.rank",
    order_of_decimals_is_accepted="types.T_AXIS",
)
refuses(THEME, "onnx.Transpose-*", scalar_is_refused=lambda mover: not mover.shape)
refuses(
    THEME,
    TRANSPOSE,
    vector_is_refused=lambda mover: len(mover.shape) == 1,
    unchanged_order_is_refused=lambda mover: mover.role("order") == sorted(mover.shape and range(len(mover.shape))),
)
