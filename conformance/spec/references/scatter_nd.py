"""ScatterND and ScatterNDUpdate."""

from __future__ import annotations

from functools import partial

from conformance.spec.broken_clause import (
    Arguments,
    BrokenClauseError,
    UncoveredCallError,
    refuse_surplus,
    tensor_named,
)
from conformance.spec.references.signature import Reference, numbers_of, typed_data
from conformance.tensors.tensor import Tensor, gathered, unpack_integers

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
    **{f"onnx.ScatterND-{version}": partial(_onnx_scatter_nd, version=version) for version in _ONNX},
    **{
        f"openvino.ScatterNDUpdate-{version}": partial(_openvino_scatter_nd_update, version=version)
        for version in _OPENVINO
    },
}
