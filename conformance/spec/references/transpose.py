"""Transpose."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.spec.broken_clause import (
    INTEGERS,
    Arguments,
    BrokenClauseError,
    refuse_surplus,
    tensor_named,
)
from conformance.spec.references.onnx_types import (
    CLASSIC,
    WITH_BFLOAT16,
    WITH_FLOAT4,
    WITH_FLOAT8,
    WITH_FLOAT8_E8M0,
    WITH_INT2,
    typed,
)
from conformance.spec.references.signature import Reference, numbers_of
from conformance.values.tensor import Tensor, gathered, unpack_integers


def _onnx_transpose(types: frozenset[str]) -> Reference:
    def transpose(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
        refuse_surplus(arguments, {"data", "perm"}, "arguments")
        data = typed(tensor_named(arguments, "data", "data.required"), types)
        rank, perm = len(data.shape), arguments.get("perm")
        if perm is None:
            return (_transposed(data, range(rank)[::-1]),)
        if isinstance(perm, Tensor):
            raise BrokenClauseError("arguments", "perm is an attribute, not an input")
        if not isinstance(perm, (list, tuple)) or not all(type(axis) is int for axis in perm):
            raise BrokenClauseError("perm.type", f"perm must be a list of whole numbers, not {perm!r}")
        order = [axis for axis in perm if isinstance(axis, int)]
        if len(order) != rank:
            raise BrokenClauseError("perm.length", f"perm has {len(order)} entries, the data {rank} dims")
        if not all(0 <= axis < rank for axis in order):
            raise BrokenClauseError("perm.range", f"perm is {order}, allowed are 0 to {rank - 1}")
        if len(set(order)) < rank:
            raise BrokenClauseError("perm.once", f"perm is {order}, which names a dim twice")
        return (_transposed(data, order),)

    return transpose


def _openvino_transpose_1(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"arg", "input_order"}, "arguments")
    data = tensor_named(arguments, "arg", "arg.required")
    given = tensor_named(arguments, "input_order", "input_order.required")
    if given.dtype not in INTEGERS:
        raise BrokenClauseError("types.T_AXIS", f"input_order must be integers, not {given.dtype}")
    if len(given.shape) != 1:
        raise BrokenClauseError("input_order.rank", f"input_order must be 1-D, not of shape {given.shape}")
    rank, order = len(data.shape), unpack_integers(given)
    if not order:
        return (_transposed(data, range(rank)[::-1]),)
    if len(order) != rank:
        raise BrokenClauseError("input_order.length", f"input_order has {len(order)} entries, the data {rank} dims")
    if sorted(order) != list(range(rank)):
        raise BrokenClauseError("input_order.once", f"input_order is {order}")
    return (_transposed(data, order),)


def _transposed(data: Tensor, order: Sequence[int]) -> Tensor:
    return gathered((data,), numbers_of(data).transpose(order))


REFERENCES: dict[str, Reference] = {
    "onnx.Transpose-1": _onnx_transpose(CLASSIC),
    "onnx.Transpose-13": _onnx_transpose(WITH_BFLOAT16),
    "onnx.Transpose-21": _onnx_transpose(WITH_FLOAT8),
    "onnx.Transpose-23": _onnx_transpose(WITH_FLOAT4),
    "onnx.Transpose-24": _onnx_transpose(WITH_FLOAT8_E8M0),
    "onnx.Transpose-25": _onnx_transpose(WITH_INT2),
    "openvino.Transpose-1": _openvino_transpose_1,
}
