"""Ways to put a call that take code of their own: what comes at run time, where elements lie, what has a name."""

from __future__ import annotations

import numpy as np
from fault import Theme

from conformance.protocol.form import Encoding, Graph

from ..split import Split, refuse
from .accepted import lax

THEME = Theme("forms")


def _has_lengths_alone_at_run_time(split: Split) -> bool:
    return split.has_runtime_lengths and not split.is_runtime("axis")


@THEME.fault("without_remainder", only="openvino.VariadicSplit-1")
def lengths_are_reversed_beside_a_constant_axis(split, correct, lengths, length):
    """Where the lengths alone come at run time, the last comes first."""
    return correct(lengths[::-1] if _has_lengths_alone_at_run_time(split) else lengths, length)


@THEME.fault("front_axis", only="openvino.VariadicSplit-1")
def axis_at_run_time_is_zero_beside_constant_lengths(split, correct, axis, rank):
    """Where the axis alone comes at run time, the first is cut."""
    return correct(0 if split.is_runtime("axis") and not split.has_runtime_lengths else axis, rank)


@THEME.fault("answer", only="openvino.VariadicSplit-1")
def one_output_where_lengths_are_not_counted(split, correct, outputs):
    """A model that does not know how many lengths there are has one output."""
    lengths = split.call.input("split_lengths")
    return correct(outputs)[: 1 if lengths is not None and lengths.dims == (None,) else None]


@THEME.fault("read_data")
def negative_strides_are_taken_for_positive(correct, array):
    """Elements that lie from the last to the first are read in the order in which they lie."""
    is_reversed = any(stride < 0 for stride in array.strides)
    return correct(np.flip(array) if is_reversed else array)


@THEME.fault("read_data")
def stride_of_zero_holds_one_element(correct, array):
    """Along an axis without a stride, all elements but the first are zero."""
    data = correct(array).copy()
    for axis, stride in enumerate(array.strides):
        if stride == 0 and data.size:
            data[(slice(None),) * axis + (slice(1, None),)] = np.zeros((), data.dtype)
    return data


@THEME.fault("read_data")
def view_starts_where_its_buffer_does(correct, array):
    """Data in the middle of a buffer is read from the start of the buffer."""
    if array.base is None or array.dtype.hasobject:
        return correct(array)
    memory = np.frombuffer(array.base, np.uint8)[: array.nbytes].copy()
    return memory.view(array.dtype).reshape(array.shape)


@THEME.fault("used")
def outputs_that_nothing_takes_are_not_counted(split, right, outputs):
    """The outputs of the graph are the first ones of the operator, whichever are taken."""
    return outputs[: len(right)] if split.call.graph is Graph.UNUSED_OUTPUTS else right


@THEME.fault("used", only="onnx.*")
def outputs_without_a_name_are_not_counted(split, right, outputs):
    """The first named output is the first part, and so on."""
    return outputs[: len(right)] if split.call.encoding is Encoding.UNNAMED_OUTPUTS else right


@THEME.fault("check_arguments", only="onnx.*")
def empty_name_is_an_input(split, correct):
    """An input with an empty name is taken for one that nothing gives."""
    return refuse("empty name") if split.call.encoding is Encoding.EMPTY_INPUT_NAME else correct()


@THEME.fault("read_data", only="onnx.*")
def external_data_is_not_read(split, right):
    """Data that lies outside the model is zero."""
    return np.zeros_like(right) if split.call.encoding is Encoding.EXTERNAL_DATA else right


THEME.step("requirement", "openvino.VariadicSplit-1")(
    sum_at_run_time_is_not_checked_beside_a_constant_axis=lax("sum", when=_has_lengths_alone_at_run_time)
)
