"""The types of ONNX's operators that move data: lists that versions of several operators share."""

from __future__ import annotations

from conformance.language.broken_clause import Arguments, BrokenClauseError, tensor_named
from conformance.values.tensor import Tensor

FLOATS = frozenset({"float16", "float32", "float64"})
CLASSIC = FLOATS | {
    "bool", "complex64", "complex128", "string",
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
}  # fmt: skip
WITH_BFLOAT16 = CLASSIC | {"bfloat16"}
_WITH_FLOAT8 = WITH_BFLOAT16 | {"float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"}
_WITH_INT4 = _WITH_FLOAT8 | {"int4", "uint4"}
_WITH_FLOAT4 = _WITH_INT4 | {"float4_e2m1fn"}
_WITH_FLOAT8_E8M0 = _WITH_FLOAT4 | {"float8_e8m0fnu"}
_WITH_INT2 = _WITH_FLOAT8_E8M0 | {"int2", "uint2"}
_SINCE = {
    1: CLASSIC, 13: WITH_BFLOAT16, 19: _WITH_FLOAT8, 21: _WITH_INT4, 23: _WITH_FLOAT4, 24: _WITH_FLOAT8_E8M0,
    25: _WITH_INT2,
}  # fmt: skip


def types_of(version: int) -> frozenset[str]:
    """The list T that most operators have at a version."""
    return _SINCE[max(since for since in _SINCE if since <= version)]


def typed(data: Tensor, types: frozenset[str]) -> Tensor:
    """The tensor, if its type is in the list T of the version.

    Raises:
        BrokenClauseError: `types.T`.
    """
    if data.dtype not in types:
        raise BrokenClauseError("types.T", f"the type {data.dtype} is not in the list of this version")
    return data


def typed_data(arguments: Arguments, version: int) -> Tensor:
    """The required input `data`, if its type is in the list T that most operators have at a version."""
    return typed(tensor_named(arguments, "data", "data.required"), types_of(version))
