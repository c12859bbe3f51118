"""Expand."""

from __future__ import annotations

from functools import partial

from conformance.spec.broken_clause import Arguments, input_list, refuse_surplus, tensor_named
from conformance.spec.references.signature import Reference, numbers_of, repeated_shape, typed, types_of
from conformance.tensors.tensor import Tensor, gathered


def _onnx_expand(arguments: Arguments, _: int, *, version: int) -> tuple[Tensor, ...]:
    import numpy as np

    refuse_surplus(arguments, {"input", "shape"})
    data = typed(tensor_named(arguments, "input", "input.required"), types_of(version))
    given = tensor_named(arguments, "shape", "shape.required")
    wanted = input_list(given, "shape", "shape.type", "shape.rank", ["int64"])
    shape = repeated_shape(data.shape, wanted, "dims.equal")
    return (gathered((data,), np.broadcast_to(numbers_of(data), shape)),)


REFERENCES: dict[str, Reference] = {
    f"onnx.Expand-{version}": partial(_onnx_expand, version=version) for version in (8, 13)
}
