"""Expand."""

from __future__ import annotations

from conformance.language.broken_clause import Arguments, BrokenClauseError, refuse_surplus, tensor_named
from conformance.language.references.onnx_types import CLASSIC, WITH_BFLOAT16, typed
from conformance.language.references.signature import Reference, numbers_of
from conformance.values.tensor import Tensor, gathered, unpack_integers


def _onnx_expand(types: frozenset[str]) -> Reference:
    def expand(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
        import numpy as np

        refuse_surplus(arguments, {"input", "shape"})
        data = typed(tensor_named(arguments, "input", "input.required"), types)
        shape = tensor_named(arguments, "shape", "shape.required")
        if shape.dtype != "int64":
            raise BrokenClauseError("shape.type", f"shape is {shape.dtype}")
        if len(shape.shape) != 1:
            raise BrokenClauseError("shape.rank", f"shape has the shape {shape.shape}")
        try:
            output = np.broadcast_shapes(data.shape, unpack_integers(shape))
        except ValueError as error:
            raise BrokenClauseError("dims.equal", str(error)) from None
        return (gathered((data,), np.broadcast_to(numbers_of(data), output)),)

    return expand


REFERENCES: dict[str, Reference] = {
    "onnx.Expand-8": _onnx_expand(CLASSIC),
    "onnx.Expand-13": _onnx_expand(WITH_BFLOAT16),
}
