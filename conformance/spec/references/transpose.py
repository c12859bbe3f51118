"""Transpose."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from conformance.spec.broken_clause import (
    Arguments,
    BrokenClauseError,
    attribute,
    attribute_list,
    input_list,
    refuse_surplus,
    tensor_named,
)
from conformance.spec.references.signature import Reference, numbers_of, typed_data
from conformance.tensors.tensor import Tensor, gathered


def _onnx_transpose(arguments: Arguments, _: int, *, version: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "perm"})
    data = typed_data(arguments, version)
    rank, perm = len(data.shape), attribute(arguments, "perm")
    if perm is None:
        return (_transposed(data, range(rank)[::-1]),)
    order = attribute_list(perm, "perm", "perm.type")
    if len(order) != rank:
        raise BrokenClauseError("perm.length", f"perm has {len(order)} entries, the data {rank} dims")
    if not all(0 <= axis < rank for axis in order):
        raise BrokenClauseError("perm.range", f"perm is {order}, allowed are 0 to {rank - 1}")
    if len(set(order)) < rank:
        raise BrokenClauseError("perm.once", f"perm is {order}, which names a dim twice")
    return (_transposed(data, order),)


def _openvino_transpose_1(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"arg", "input_order"})
    data = tensor_named(arguments, "arg", "arg.required")
    given = tensor_named(arguments, "input_order", "input_order.required")
    rank, order = len(data.shape), input_list(given, "input_order", "types.T_AXIS", "input_order.rank")
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
    **{f"onnx.Transpose-{version}": partial(_onnx_transpose, version=version) for version in (1, 13, 21, 23, 24, 25)},
    "openvino.Transpose-1": _openvino_transpose_1,
}
