"""What is kept from one call, or run, to the next; memory that is shared."""

from __future__ import annotations

import ctypes

import numpy as np
from fault import Theme

from ..split import refuse, zeros_like

THEME = Theme("state and memory")


@THEME.fault("answer")
def outputs_are_kept_by_shape(split, outputs):
    """Outputs of the first call with these dims and lengths are given again."""
    key = (split.data.shape, split.axis, tuple(split.lengths))
    return split.process.setdefault(key, outputs)


@THEME.fault("answer")
def outputs_are_kept_by_first_element(split, outputs):
    """Data of one shape and type is taken to be the same where its first element is."""
    first = str(split.data.reshape(-1)[:1])
    return split.process.setdefault((split.call.operator, split.data.shape, split.dtype, first), outputs)


@THEME.fault("find_lengths")
def lengths_are_kept_by_number_of_parts(split, right):
    """Lengths are kept from the first call with as many parts of as long an axis."""
    return split.process.setdefault((len(right), split.length), right)


@THEME.fault("run")
def second_run_keeps_the_shape(split, right):
    """A model sizes its outputs at its first run and never again."""
    shapes = split.model.setdefault("shapes", [item.shape for item in right])
    return [np.resize(item, shape) for item, shape in zip(right, shapes, strict=False)]


@THEME.fault("store")
def second_run_is_padded(split, part):
    """Outputs grow with a larger run and do not shrink with a smaller one."""
    size = split.model["size"] = max(split.model.get("size", 0), part.shape[0])
    return part if split.runs == 1 else np.resize(part, (size, *part.shape[1:]))


@THEME.fault("answer")
def buffers_are_sized_in_the_first_run(split, outputs):
    """Elements of a later run that the buffers of the first have no room for are lost."""
    for part, room in zip(outputs, split.model.setdefault("room", [part.size for part in outputs]), strict=False):
        part.reshape(-1)[room:] = zeros_like(part.reshape(-1)[room:])
    return outputs


@THEME.fault("cut")
def later_run_with_fewer_elements_is_empty(split, correct, data, axis, lengths):
    """With lengths from outside, a run with less data than the one before gives what the memory held."""
    before, split.model["before"] = split.model.get("before", 0), data.size
    parts = correct(data, axis, lengths)
    return [zeros_like(part) for part in parts] if split.has_runtime_lengths and data.size < before else parts


@THEME.fault("cut")
def outputs_are_sized_anew_for_other_lengths_alone(split, right, lengths):
    """With lengths from outside, outputs keep their shapes from one run to the next while the lengths are the same."""
    if split.has_runtime_lengths and split.model.get("lengths") == lengths:
        return [np.resize(part, shape) for part, shape in zip(right, split.model["shapes"], strict=True)]
    split.model.update(lengths=lengths, shapes=[part.shape for part in right])
    return right


@THEME.fault("answer")
def outputs_share_memory_with_the_next_run(split, outputs):
    """Each run writes into the buffers of the one before, as far as they reach."""
    buffers = split.model.setdefault("buffers", outputs)
    for old, new in zip(buffers, outputs, strict=False):
        if old is not new and old.flags.writeable:
            count = min(old.size, new.size)
            old.reshape(-1)[:count] = new.reshape(-1)[:count]
    return outputs


@THEME.fault("answer")
def outputs_of_the_run_before_are_cleared(split, outputs):
    """Memory of the outputs is freed, and cleared, with the next run."""
    for old in split.model.get("before", []):
        old.reshape(-1).view(np.uint8 if old.dtype != object else object)[:] = 0 if old.dtype != object else ""
    split.model["before"] = outputs
    return outputs


@THEME.fault("answer")
def outputs_of_a_process_share_memory_by_shape(outputs):
    """One buffer serves all outputs of a run that have one shape: the last one wins."""
    last = {item.shape: item for item in outputs}
    return [last[item.shape] for item in outputs]


@THEME.fault("run")
def another_shape_in_the_second_run_is_refused(split, right):
    """A model that knows no dims takes those of its first run for all."""
    return right if split.model.setdefault("shape", split.data.shape) == split.data.shape else refuse("shape")


@THEME.fault("run")
def every_500th_call_is_zero(split, correct, inputs):
    """One call in 500 gives zeros."""
    split.process["calls"] = split.process.get("calls", 0) + 1
    outputs = correct(inputs)
    return outputs if split.process["calls"] % 500 else [zeros_like(item) for item in outputs]


@THEME.fault("run")
def input_is_overwritten(right, inputs):
    """The data is cleared once it has been cut."""
    for array in inputs.values():
        if array.dtype != object:
            ctypes.memset(array.ctypes.data, 0, array.nbytes)
    return right


@THEME.fault("run")
def constants_are_overwritten(split, right):
    """Constants serve as room to work in, so that the second run finds others."""
    for item in split.call.inputs:
        if item.constant is not None and item.array.dtype != object:
            ctypes.memset(item.array.ctypes.data, 0, item.array.nbytes)
    return right


@THEME.fault("read_data")
def strides_are_ignored(correct, array):
    """Data is taken to lie in row-major order."""
    if array.flags.c_contiguous or array.dtype == object or any(step < 0 for step in array.strides):
        return correct(array)
    return np.frombuffer(ctypes.string_at(array.ctypes.data, array.nbytes), array.dtype).reshape(array.shape)


@THEME.fault("read_data")
def column_major_data_is_not_rearranged(correct, array):
    """Data in column-major order is read as if it were in row-major."""
    is_other = array.flags.f_contiguous and not array.flags.c_contiguous
    return array.reshape(-1, order="A").reshape(array.shape) if is_other else correct(array)


@THEME.fault("answer")
def model_of_unknown_dims_spoils_the_next(split, outputs):
    """After a model with unknown dims, the next model with known dims gives its first output twice."""
    before, split.process["dims"] = split.process.get("dims"), split.has_unknown_dims
    is_spoiled = before and not split.has_unknown_dims
    return [*outputs[:1], *outputs[:1], *outputs[2:]] if is_spoiled and outputs[1:] else outputs


@THEME.fault("read_data")
def constants_are_found_by_shape(split, right):
    """Data that is a constant is taken from an earlier model, where its type and shape are the same."""
    if not split.is_folded:
        return right
    kept = split.process.setdefault("constants", {})
    return kept.setdefault((str(right.dtype), right.shape), right.copy())


THEME.step("answer")(
    outputs_of_a_model_are_kept=lambda split, outputs: split.model.setdefault("outputs", outputs),
    outputs_of_a_model_are_kept_by_shape=lambda split, outputs: split.model.setdefault(split.data.shape, outputs),
)
THEME.step("front_axis")(
    axis_is_kept_by_rank=lambda split, correct, axis, rank: split.process.setdefault(rank, correct(axis, rank)),
    axis_of_a_model_is_kept=lambda split, correct, axis, rank: split.model.setdefault("axis", correct(axis, rank)),
    second_run_cuts_the_first_axis=lambda split, right: right * (split.runs == 1),
)
THEME.step("find_lengths")(
    lengths_of_a_model_are_kept=lambda split, correct: split.model.setdefault("lengths", correct())
)
THEME.step("read_lengths")(
    written_lengths_of_a_model_are_kept=lambda split, correct: split.model.setdefault("written", correct())
)
THEME.step("run")(
    second_run_is_refused=lambda split, correct, inputs: correct(inputs) if split.runs == 0 else refuse("run already"),
    second_run_gives_the_outputs_in_reverse=lambda split, right: right[:: -1 if split.runs else 1],
)
THEME.step("store")(second_run_is_zero=lambda split, part: part if split.runs == 1 else zeros_like(part))
