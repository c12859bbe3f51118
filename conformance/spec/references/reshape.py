"""Reshape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from conformance.spec.broken_clause import (
    Arguments,
    BrokenClauseError,
    attribute,
    attribute_list,
    input_list,
    one_integer,
    refuse_surplus,
    required,
    tensor_named,
)
from conformance.spec.references.signature import FLOATS, Reference, typed, typed_data
from conformance.tensors.tensor import Tensor, unpack_integers


def _onnx_reshape_1(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "shape", "consumed_inputs"})
    data = typed(tensor_named(arguments, "data", "data.required"), FLOATS)
    # The page does not mark the attribute as required: we read that without it the shape is the empty one.
    return (
        _reshaped(data, attribute_list(attribute(arguments, "shape", []), "shape", "shape.type"), copies_zero=True),
    )


def _onnx_reshape(arguments: Arguments, _: int, *, version: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "shape"} | ({"allowzero"} if version >= 14 else set()))
    data = typed_data(arguments, version)
    shape = tensor_named(arguments, "shape", "shape.required")
    if shape.dtype != "int64":
        raise BrokenClauseError("shape.type", f"shape must be int64, not {shape.dtype}")
    allowzero = one_integer(attribute(arguments, "allowzero", 0), "allowzero.type")
    if len(shape.shape) != 1:
        raise BrokenClauseError("shape.rank", f"shape must be 1-D, not of shape {shape.shape}")
    lengths = unpack_integers(shape)
    if allowzero and 0 in lengths and -1 in lengths:
        raise BrokenClauseError("allowzero.minus_one", f"shape is {lengths}, with both a 0 and a -1")
    return (_reshaped(data, lengths, copies_zero=not allowzero),)


def _openvino_reshape_1(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "shape", "special_zero"})
    data = tensor_named(arguments, "data", "data.required")
    shape = tensor_named(arguments, "shape", "shape.required")
    copies_zero = required(arguments, "special_zero")
    if not isinstance(copies_zero, bool):
        raise BrokenClauseError("special_zero.type", f"special_zero is a truth value, not {copies_zero!r}")
    if data.dtype in ("bool", "string"):
        raise BrokenClauseError("types.T", f"{data.dtype} is no numeric type")
    lengths = input_list(shape, "shape", "types.T_SHAPE", "shape.rank")
    return (_reshaped(data, lengths, copies_zero=copies_zero),)


def _reshaped(data: Tensor, lengths: Sequence[int], *, copies_zero: bool) -> Tensor:
    if min(lengths, default=0) < -1:
        raise BrokenClauseError("shape.range", f"shape is {list(lengths)}, and no length is below -1")
    if lengths.count(-1) > 1:
        raise BrokenClauseError("shape.minus_one", f"shape is {list(lengths)}, with more than one -1")
    found = list(lengths)
    for dim, length in enumerate(lengths):
        if length == 0 and copies_zero:
            if dim >= len(data.shape):
                raise BrokenClauseError("shape.zero", f"dim {dim} is 0, and the data has {len(data.shape)} dims")
            found[dim] = data.shape[dim]
    if -1 in lengths:
        others = math.prod(length for length in found if length != -1)
        # Beside a dim of length 0 any length keeps the number of elements: we read that it cannot be computed.
        if others == 0 or data.size % others:
            raise BrokenClauseError("shape.count", f"{data.size} elements do not fill the shape {found}")
        found[lengths.index(-1)] = data.size // others
    if math.prod(found) != data.size:
        raise BrokenClauseError("shape.count", f"{data.size} elements do not fill the shape {found}")
    return replace(data, shape=tuple(found))


REFERENCES: dict[str, Reference] = {
    "onnx.Reshape-1": _onnx_reshape_1,
    **{
        f"onnx.Reshape-{version}": partial(_onnx_reshape, version=version)
        for version in (5, 13, 14, 19, 21, 23, 24, 25)
    },
    "openvino.Reshape-1": _openvino_reshape_1,
}
