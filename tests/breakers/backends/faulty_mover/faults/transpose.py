"""Faults of Transpose: how the order of the dims is read, and what it means."""

from __future__ import annotations

import numpy as np
from fault import Theme

from ..mover import role_of, with_integers
from .acceptance import accepts, refuses

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


@THEME.fault("find", TRANSPOSE)
def order_is_inverted(mover, correct):
    """Dim perm[i] of the output is dim i of the data."""
    return ordered(mover, correct, np.argsort)


@THEME.fault("find", TRANSPOSE)
def order_is_read_from_its_end(mover, correct):
    """The last entry says which dim comes first."""
    return ordered(mover, correct, lambda order: order[::-1])


@THEME.fault("find", TRANSPOSE)
def order_is_not_applied(mover, correct):
    """The data is handed over as it is."""
    return ordered(mover, correct, sorted)


@THEME.fault("find", TRANSPOSE)
def every_order_reverses(mover, correct):
    """The dims are reversed whatever the order is."""
    return ordered(mover, correct, lambda order: sorted(order, reverse=True))


@THEME.fault("find", TRANSPOSE)
def every_order_exchanges_the_last_two(mover, correct):
    """Matrices are transposed, and dims in front of them stay."""
    return ordered(mover, correct, lambda order: exchanged_last(sorted(order)))


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
def dims_beyond_the_fourth_stay(mover, correct):
    """Of more than four dims, the order is the one in which they lie."""
    return ordered(mover, correct, lambda order: sorted(order) if len(order) > 4 else order)


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
def dims_of_one_stop_the_move(mover, correct):
    """Data with a dim of one is only given another shape."""
    numbers = correct()
    return np.arange(numbers.size).reshape(numbers.shape) if 1 in mover.shape else numbers


@THEME.fault("find", TRANSPOSE)
def tiles_at_the_edge_are_not_moved(mover, correct):
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
def shape_is_inferred_from_the_inverse(mover, correct):
    """The elements come in the right order, in the shape of the inverse."""
    numbers = correct()
    order = mover.role("order") or list(range(len(mover.shape)))[::-1]
    return numbers.reshape([mover.shape[dim] for dim in np.argsort(order)])


@THEME.fault("read", TRANSPOSE)
def entries_count_from_the_end(mover, correct, role, values):
    """A negative entry counts from the last dim."""
    rank = len(mover.shape)
    return correct(role, [value + rank if -rank <= value < 0 else value for value in values])


@THEME.fault("read", TRANSPOSE)
def entries_have_32_bits(mover, correct, role, values):
    """Entries lose their upper 32 bits."""
    return correct(role, [(value + 2**31) % 2**32 - 2**31 for value in values])


@THEME.fault("read", TRANSPOSE)
def entries_are_taken_modulo_the_rank(mover, correct, role, values):
    """An entry beyond the rank wraps around."""
    return correct(role, [value % max(len(mover.shape), 1) for value in values])


@THEME.fault("read", TRANSPOSE)
def entries_are_clamped(mover, correct, role, values):
    """An entry beyond the rank is the last dim, and a negative one the first."""
    return correct(role, [min(max(value, 0), max(len(mover.shape) - 1, 0)) for value in values])


@THEME.fault("read", TRANSPOSE)
def surplus_entries_are_ignored(mover, correct, role, values):
    """Entries of the order beyond the rank are not read."""
    return correct(role, values[: max(len(mover.shape), 1)])


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
    return correct(role, values[:1] if order is not None and order.kind.bits == 8 else values)


@THEME.fault("complete", "openvino.Transpose-*")
def empty_order_keeps_the_dims(mover, correct, given):
    """An empty order is the one in which the dims lie."""
    done = dict(correct(given))
    order, data = done.get("input_order"), done.get("arg")
    if order is not None and data is not None and not order.size and order.kind.bits == 64:
        done["input_order"] = with_integers(order, list(range(len(data.shape))))
    return done


@THEME.fault("law", "onnx.Transpose-*")
def types_of_version_25_are_in_every_version(mover, correct):
    """A version takes the types of the newest one."""
    return "onnx.Transpose-25" if mover.version < 25 else correct()


@THEME.fault("law", "onnx.Transpose-*")
def versions_from_13_on_answer_as_1(mover, correct):
    """A newer version takes the types of the first one."""
    return "onnx.Transpose-1"


@THEME.fault("law", "onnx.Transpose-*")
def version_13_takes_what_21_takes(mover, correct):
    """Version 13 has the types of version 21."""
    return "onnx.Transpose-21" if mover.version == 13 else correct()


@THEME.fault("law", "onnx.Transpose-*")
def version_21_takes_what_23_takes(mover, correct):
    """Version 21 has the types of version 23."""
    return "onnx.Transpose-23" if mover.version == 21 else correct()


@THEME.fault("law", "onnx.Transpose-*")
def version_24_takes_what_25_takes(mover, correct):
    """Version 24 has the types of version 25."""
    return "onnx.Transpose-25" if mover.version == 24 else correct()


for _name, _clauses, _says in (
    ("missing_data_is_accepted", "data.required arg.required", "Without data, a scalar is answered."),
    ("order_of_another_length_is_accepted", "perm.length input_order.length", "An order may have any length."),
    ("dim_may_come_twice", "perm.once input_order.once", "An order may name a dim twice."),
    ("surplus_arguments_are_ignored", "arguments", "An argument that the version does not have is ignored."),
):
    accepts(THEME, _name, _clauses, only=TRANSPOSE, says=_says)
accepts(
    THEME,
    "order_beyond_the_rank_is_accepted",
    "perm.range",
    only="onnx.Transpose-*",
    says="An entry may name a dim that is not there.",
)
accepts(
    THEME,
    "order_of_any_kind_is_accepted",
    "perm.type",
    only="onnx.Transpose-*",
    says="An order that is no list of integers is left out.",
)
accepts(
    THEME,
    "missing_order_is_accepted",
    "input_order.required",
    only="openvino.Transpose-*",
    says="The order may be left out.",
)
accepts(
    THEME,
    "order_of_another_rank_is_accepted",
    "input_order.rank",
    only="openvino.Transpose-*",
    says="An order of any rank is read in row-major order.",
)
accepts(
    THEME,
    "order_of_decimals_is_accepted",
    "types.T_AXIS",
    only="openvino.Transpose-*",
    says="An order of decimals is rounded.",
)
refuses(
    THEME,
    "scalar_is_refused",
    lambda mover: not mover.shape,
    only="onnx.Transpose-*",
    says="A scalar has no dims to transpose.",
)
refuses(
    THEME,
    "vector_is_refused",
    lambda mover: len(mover.shape) == 1,
    only=TRANSPOSE,
    says="A vector cannot be transposed.",
)
refuses(
    THEME,
    "unchanged_order_is_refused",
    lambda mover: mover.role("order") == sorted(mover.shape and range(len(mover.shape))),
    only=TRANSPOSE,
    says="An order that changes nothing is refused.",
)


@THEME.fault("find", TRANSPOSE)
def order_is_inverted_where_dims_are_equal(mover, correct):
    """Dim perm[i] of the output is dim i of the data, where all dims have one length and the shape shows nothing."""
    return ordered(mover, correct, np.argsort if len(set(mover.shape)) == 1 else list)
