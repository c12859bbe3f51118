"""The types of ONNX's operators that move data: lists that versions of several operators share."""

from __future__ import annotations

from conformance.spec.broken_clause import BrokenClauseError
from conformance.values.tensor import Tensor

FLOATS = frozenset({"float16", "float32", "float64"})
CLASSIC = FLOATS | {
    "bool", "complex64", "complex128", "string",
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
}  # fmt: skip
WITH_BFLOAT16 = CLASSIC | {"bfloat16"}
"""Of most versions 13."""
FLOAT8 = frozenset({"float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"})
"""Of versions 19, besides those of versions 13."""
WITH_FLOAT8 = WITH_BFLOAT16 | FLOAT8 | {"int4", "uint4"}
"""Of most versions 21, which add int4 and uint4, too."""
WITH_FLOAT4 = WITH_FLOAT8 | {"float4_e2m1fn"}
"""Of most versions 23."""
WITH_FLOAT8_E8M0 = WITH_FLOAT4 | {"float8_e8m0fnu"}
"""Of most versions 24."""
WITH_INT2 = WITH_FLOAT8_E8M0 | {"int2", "uint2"}
"""Of most versions 25."""


def typed(data: Tensor, types: frozenset[str]) -> Tensor:
    """The tensor, if its type is in the list T of the version.

    Raises:
        BrokenClauseError: `types.T`.
    """
    if data.dtype not in types:
        raise BrokenClauseError("types.T", f"the type {data.dtype} is not in the list of this version")
    return data
