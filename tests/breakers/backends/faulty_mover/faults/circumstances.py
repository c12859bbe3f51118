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
def arguments_at_run_time_are_ignored(mover, correct):
    """Where an argument other than the data comes at run time, the data is copied as it is."""
    numbers = correct()
    return in_data_order(mover, numbers) if mover.has_runtime_arguments else numbers


@THEME.fault("find", only=MOVING)
def folding_copies_the_data(mover, correct):
    """Where all can be computed ahead, the data is copied as it is."""
    numbers = correct()
    return in_data_order(mover, numbers) if mover.is_folded else numbers


@THEME.fault("find")
def folding_is_refused(mover, correct):
    """Where all can be computed ahead, the call is refused."""
    if mover.is_folded:
        refuse("constant data")
    return correct()


@THEME.fault("find")
def unknown_dims_lose_the_last_element(mover, correct):
    """Where a dim of the data is not known ahead, the last element is not written."""
    numbers = correct().copy()
    if mover.has_unknown_dims and not mover.has_unknown_rank:
        numbers.reshape(-1)[-1:] = ZERO
    return numbers


@THEME.fault("find")
def unknown_rank_is_refused(mover, correct):
    """Where the rank of the data is not known ahead, the call is refused."""
    if mover.has_unknown_rank:
        refuse("unknown rank")
    return correct()


@THEME.fault("find", only=MOVING)
def unknown_rank_copies_the_data(mover, correct):
    """Where the rank of the data is not known ahead, the data is copied as it is."""
    numbers = correct()
    return in_data_order(mover, numbers) if mover.has_unknown_rank else numbers


@THEME.fault("find")
def known_shape_loses_the_last_element(mover, correct):
    """Where the shape of the data is known ahead, the last element is not written."""
    numbers = correct().copy()
    if not mover.has_unknown_dims:
        numbers.reshape(-1)[-1:] = ZERO
    return numbers


@THEME.fault("answer")
def outputs_of_a_model_are_kept(mover, correct, outputs):
    """A model answers with the outputs of its first run."""
    return mover.model.setdefault("outputs", correct(outputs))


@THEME.fault("answer")
def outputs_are_kept_by_shape(mover, correct, outputs):
    """A model answers with the outputs of its first run with data of this shape."""
    return mover.model.setdefault(mover.shape, correct(outputs))


@THEME.fault("find", only=MOVING)
def sources_of_a_process_are_kept(mover, correct):
    """Where the elements come from is kept from the first call of the operator whose output has this shape."""
    numbers = correct()
    return mover.process.setdefault((mover.call.operator, numbers.shape), numbers)


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
def memory_is_read_as_if_contiguous(mover, correct, array):
    """Strides are ignored: elements are read as they lie in memory, from the first on."""
    if array.flags.c_contiguous or array.dtype == object or not array.size or min(array.strides) < 0:
        return correct(array)
    span = 1 + sum(
        (length - 1) * (step // array.itemsize) for length, step in zip(array.shape, array.strides, strict=True)
    )
    lying = np.lib.stride_tricks.as_strided(array, (span,), (array.itemsize,))
    return np.resize(lying, array.shape)


@THEME.fault("load")
def column_major_data_is_read_as_row_major(mover, correct, array):
    """Data that lies in column-major order is read in the order in which it lies."""
    if not array.flags.f_contiguous or array.flags.c_contiguous:
        return correct(array)
    return array.reshape(-1, order="F").reshape(array.shape)


@THEME.fault("relu")
def data_bypasses_the_relu(mover, correct, data):
    """The operator reads what the Relu reads."""
    return data


@THEME.fault("find", only=MOVING)
def behind_a_relu_the_data_is_copied(mover, correct):
    """Fused with a Relu, the operator moves nothing."""
    numbers = correct()
    return in_data_order(mover, numbers) if mover.call.graph is Graph.AFTER_RELU else numbers


@THEME.fault("find")
def no_more_than_three_runs(mover, correct):
    """The third run of a model is refused."""
    if mover.runs > 2:
        refuse("a model runs twice")
    return correct()
