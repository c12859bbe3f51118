"""Gather, ScatterND and ScatterNDUpdate."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.spec.broken_clause import (
    Arguments,
    BrokenClauseError,
    UncoveredCallError,
    attribute,
    axis_from_front,
    one_integer,
    refuse_surplus,
    tensor_named,
)
from conformance.spec.references.signature import Reference, numbers_of, refuse_unheld, typed_data
from conformance.tensors.dtypes import INTEGERS
from conformance.tensors.tensor import Tensor, gathered, unpack_integers, zero_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Gather.


def _onnx_gather(arguments: Arguments, _: int, *, version: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "indices", "axis"})
    data = typed_data(arguments, version)
    indices = tensor_named(arguments, "indices", "indices.required")
    if indices.dtype not in ("int32", "int64"):
        raise BrokenClauseError("types.Tind", f"indices must be int32 or int64, not {indices.dtype}")
    if not data.shape:
        raise BrokenClauseError("data.rank", "the data is a scalar")
    axis = _axis_of(data, one_integer(attribute(arguments, "axis", 0), "axis.type"))
    length = data.shape[axis]
    # The page of Gather-1 speaks of bounds and names none: we read that an index counts from the front.
    _refuse_outside(unpack_integers(indices), 0 if version == 1 else -length, length)
    return (_gathered(data, axis, indices, batch=0),)


def _openvino_gather(arguments: Arguments, _: int, *, version: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "indices", "axis"} | ({"batch_dims"} if version >= 7 else set()))
    data, indices, axis = _openvino_inputs(arguments)
    batch = _batch_dims(arguments, data, indices, axis)
    if version < 8:
        _refuse_outside(unpack_integers(indices), 0, data.shape[axis])
    return (_gathered(data, axis, indices, batch=batch),)


def _openvino_inputs(arguments: Arguments) -> tuple[Tensor, Tensor, int]:
    """The data, the indices and the axis, counted from the front."""
    data = tensor_named(arguments, "data", "data.required")
    indices = tensor_named(arguments, "indices", "indices.required")
    axis = tensor_named(arguments, "axis", "axis.required")
    if indices.dtype not in INTEGERS:
        raise BrokenClauseError("types.T_IND", f"indices must be integers, not {indices.dtype}")
    if axis.dtype not in INTEGERS:
        raise BrokenClauseError("types.T_AXIS", f"axis must be an integer, not {axis.dtype}")
    if axis.shape not in ((), (1,)):
        raise BrokenClauseError("axis.shape", f"axis has the shape {axis.shape}")
    return data, indices, _axis_of(data, unpack_integers(axis)[0])


def _batch_dims(arguments: Arguments, data: Tensor, indices: Tensor, axis: int) -> int:
    given, lower_rank = one_integer(arguments.get("batch_dims", 0), "batch_dims.type"), len(indices.shape)
    limit = min(len(data.shape), lower_rank)
    if not -limit <= given <= limit:
        raise BrokenClauseError("batch_dims.range", f"batch_dims is {given}, allowed are {-limit} to {limit}")
    batch = given + lower_rank if given < 0 else given
    if batch > axis:
        raise BrokenClauseError("batch_dims.axis", f"batch_dims is {batch}, and the axis {axis}")
    if data.shape[:batch] != indices.shape[:batch]:
        raise BrokenClauseError("batch_dims.equal", f"the first {batch} of {data.shape} and {indices.shape} differ")
    return batch


def _axis_of(data: Tensor, axis: int) -> int:
    return axis_from_front(axis, len(data.shape), "axis.range", "dim of data with rank")


def _refuse_outside(indices: Sequence[int], start: int, stop: int) -> None:
    for index in indices:
        if not start <= index < stop:
            raise BrokenClauseError("indices.range", f"the index {index} is not in the range {start} to {stop - 1}")


def _gathered(data: Tensor, axis: int, indices: Tensor, *, batch: int) -> Tensor:
    """The elements, with 0 for each index out of range."""
    import numpy as np

    length, outside = data.shape[axis], data.size
    shape = (*data.shape[:axis], *indices.shape[batch:], *data.shape[axis + 1 :])
    refuse_unheld(shape)
    places = [index % length if -length <= index < length else length for index in unpack_integers(indices)]
    index = np.array(places, np.int64).reshape(indices.shape)
    numbers: NDArray[Any] = numbers_of(data)
    if length in places:
        behind = np.full((*data.shape[:axis], 1, *data.shape[axis + 1 :]), outside)
        numbers = np.concatenate([numbers, behind], axis=axis)
    taken = np.empty(shape, np.int64)
    for place in np.ndindex(*indices.shape[:batch]) if taken.size else ():
        taken[place] = numbers[place].take(index[place], axis=axis - batch)
    return gathered((data, zero_of(data)), taken)


# ScatterND and ScatterNDUpdate.

_INPUTS = ("data", "indices", "updates")
_ONNX = {11: (), 13: (), 16: ("add", "mul"), 18: ("add", "mul", "max", "min")}
_OPENVINO = {3: (), 15: ("sum", "sub", "prod", "min", "max")}


def _onnx_scatter_nd(arguments: Arguments, _: int, *, version: int) -> tuple[Tensor, ...]:
    _refuse_reductions(arguments, _ONNX[version])
    data, indices = typed_data(arguments, version), tensor_named(arguments, "indices", "indices.required")
    updates = tensor_named(arguments, "updates", "updates.required")
    if indices.dtype != "int64":
        raise BrokenClauseError("indices.type", f"the indices are {indices.dtype}")
    return (_scattered(data, indices, updates, counts_from_end=True),)


def _openvino_scatter_nd_update(arguments: Arguments, _: int, *, version: int) -> tuple[Tensor, ...]:
    _refuse_reductions(arguments, _OPENVINO[version])
    data, indices, updates = (tensor_named(arguments, name, f"{name}.required") for name in _INPUTS)
    if data.dtype in ("bool", "string"):
        raise BrokenClauseError("types.T", f"{data.dtype} is not numeric")
    if indices.dtype not in ("int32", "int64"):
        raise BrokenClauseError("types.T_IND", f"the indices are {indices.dtype}")
    if indices.shape == (len(data.shape),) and updates.size == 1:
        updates = Tensor(updates.dtype, (), updates.data)
    return (_scattered(data, indices, updates, counts_from_end=version >= 15),)


def _refuse_reductions(arguments: Arguments, known: tuple[str, ...]) -> None:
    refuse_surplus(arguments, {*_INPUTS, "reduction"} if known else {*_INPUTS})
    reduction = arguments.get("reduction", "none")
    if reduction in known:
        raise UncoveredCallError(f"the reduction {reduction} computes")
    if reduction != "none":
        raise BrokenClauseError("reduction.range", f"the reduction is {reduction!r}")


def _scattered(data: Tensor, indices: Tensor, updates: Tensor, *, counts_from_end: bool) -> Tensor:
    import numpy as np

    if updates.dtype != data.dtype:
        raise BrokenClauseError("updates.type", f"the updates are {updates.dtype}, the data {data.dtype}")
    if not data.shape or not indices.shape:
        raise BrokenClauseError("indices.rank" if data.shape else "data.rank", "a scalar has no dims")
    depth = indices.shape[-1]
    if depth > len(data.shape):
        raise BrokenClauseError("indices.depth", f"a row has {depth} indices, the data {len(data.shape)} dims")
    if updates.shape != indices.shape[:-1] + data.shape[depth:]:
        raise BrokenClauseError("updates.shape", f"the updates have the shape {updates.shape}")
    rows = np.array(unpack_integers(indices), np.int64).reshape(indices.shape)
    lengths = np.array(data.shape[:depth], np.int64)
    if ((rows < (-lengths if counts_from_end else 0)) | (rows >= lengths)).any():
        raise BrokenClauseError("indices.range", f"the indices are {rows.tolist()}")
    output, added = numbers_of(data), numbers_of(updates) + data.size
    for place in np.ndindex(*rows.shape[:-1]):
        output[tuple(rows[place])] = added[place]
    return gathered((data, updates), output)


REFERENCES: dict[str, Reference] = {
    **{f"onnx.Gather-{version}": partial(_onnx_gather, version=version) for version in (1, 11, 13)},
    **{f"openvino.Gather-{version}": partial(_openvino_gather, version=version) for version in (1, 7, 8)},
    **{f"onnx.ScatterND-{version}": partial(_onnx_scatter_nd, version=version) for version in _ONNX},
    **{
        f"openvino.ScatterNDUpdate-{version}": partial(_openvino_scatter_nd_update, version=version)
        for version in _OPENVINO
    },
}
