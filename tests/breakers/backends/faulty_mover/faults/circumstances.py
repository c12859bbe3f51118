"""Faults that show in one form of a call: at run time, folded, with unknown dims, called again, in other memory."""

from __future__ import annotations

import numpy as np
from fault import Theme

from conformance.protocol.form import Graph

from ..mover import ZERO, refuse, zeros
from .elements import MOVING

THEME = Theme("circumstances")


def in_data_order(mover, numbers):
    """The numbers as they are when nothing is moved: the data from its first element on."""
    count = max(sum(source.size for source in mover.sources), 1)
    return (np.arange(numbers.size) % count).reshape(numbers.shape)


@THEME.fault("find", only="*.[!C]*[!pz]?-*")  # the axis of Concat is an attribute, and some move nothing
def arguments_at_run_time_are_ignored(mover, right):
    """Where an argument other than the data comes at run time, the data is copied as it is."""
    return in_data_order(mover, right) if mover.has_runtime_arguments else right


@THEME.fault("find")
def unknown_dims_lose_the_last_element(mover, correct):
    """Where a dim of the data is not known ahead, the last element is not written."""
    numbers = correct().copy()
    if mover.has_unknown_dims and not mover.has_unknown_rank:
        numbers.reshape(-1)[-1:] = ZERO
    return numbers


@THEME.fault("find")
def known_shape_loses_the_last_element(mover, correct):
    """Where the shape of the data is known ahead, the last element is not written."""
    numbers = correct().copy()
    if not mover.has_unknown_dims:
        numbers.reshape(-1)[-1:] = ZERO
    return numbers


@THEME.fault("find", only=MOVING)
def sources_of_a_process_are_kept(mover, right):
    """Where the elements come from is kept from the first call of the operator whose output has this shape."""
    return mover.process.setdefault((mover.call.operator, right.shape), right)


@THEME.fault("answer")
def shape_of_the_first_run_is_kept(mover, correct, outputs):
    """A model sizes its outputs at its first run and never again."""
    shapes = mover.model.setdefault("shapes", [output.shape for output in outputs])
    return correct([np.resize(output, shape) for output, shape in zip(outputs, shapes, strict=True)])


@THEME.fault("answer")
def room_of_the_first_run_is_kept(mover, correct, outputs):
    """Elements of a later run for which the buffers of the first have no room are lost."""
    for output, room in zip(outputs, mover.model.setdefault("room", [item.size for item in outputs]), strict=True):
        output.reshape(-1)[room:] = zeros((1,), output.dtype)[0]
    return correct(outputs)


@THEME.fault("answer")
def output_shares_memory_with_the_next_run(mover, correct, outputs):
    """Each run writes into the buffers of the one before, as far as they reach."""
    buffers = mover.model.setdefault("buffers", outputs)
    for old, new in zip(buffers, outputs, strict=True):
        if old is not new:
            count = min(old.size, new.size)
            old.reshape(-1)[:count] = new.reshape(-1)[:count]
    return correct(outputs)


@THEME.fault("answer")
def second_run_is_of_zeros(mover, correct, outputs):
    """A model can run once; later outputs are never written."""
    if mover.runs == 1:
        return correct(outputs)
    return correct([zeros(output.shape, output.dtype) for output in outputs])


@THEME.fault("load")
def memory_is_read_as_if_contiguous(correct, array):
    """Strides are ignored: elements are read as they lie in memory, from the first on."""
    if array.flags.c_contiguous or array.dtype == object or not array.size or min(array.strides) < 0:
        return correct(array)
    span = 1 + sum(
        (length - 1) * (step // array.itemsize) for length, step in zip(array.shape, array.strides, strict=True)
    )
    lying = np.lib.stride_tricks.as_strided(array, (span,), (array.itemsize,))
    return np.resize(lying, array.shape)


@THEME.fault("load")
def column_major_data_is_read_as_row_major(correct, array):
    """Data that lies in column-major order is read in the order in which it lies."""
    if not array.flags.f_contiguous or array.flags.c_contiguous:
        return correct(array)
    return array.reshape(-1, order="F").reshape(array.shape)


@THEME.fault("find", only=MOVING)
def behind_a_relu_the_data_is_copied(mover, right):
    """Fused with a Relu, the operator moves nothing."""
    return in_data_order(mover, right) if mover.call.graph is Graph.AFTER_RELU else right


THEME.step("find", MOVING)(
    folding_copies_the_data=lambda mover, right: in_data_order(mover, right) if mover.is_folded else right,
    unknown_rank_copies_the_data=lambda mover, right: in_data_order(mover, right) if mover.has_unknown_rank else right,
)
THEME.step("find")(
    folding_is_refused=lambda mover, correct: refuse("constant data") if mover.is_folded else correct(),
    unknown_rank_is_refused=lambda mover, correct: refuse("unknown rank") if mover.has_unknown_rank else correct(),
    no_more_than_three_runs=lambda mover, correct: refuse("a model runs twice") if mover.runs > 2 else correct(),
)
THEME.step("answer")(
    outputs_of_a_model_are_kept=lambda mover, correct, outputs: mover.model.setdefault("outputs", correct(outputs)),
    outputs_are_kept_by_shape=lambda mover, correct, outputs: mover.model.setdefault(mover.shape, correct(outputs)),
)
THEME.step("relu")(data_bypasses_the_relu=lambda data: data)
