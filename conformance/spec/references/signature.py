"""What a reference is, and how it moves elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeAlias

from conformance.spec.broken_clause import Arguments, BrokenClauseError, UncoveredCallError, tensor_named
from conformance.tensors.tensor import Tensor

if TYPE_CHECKING:
    from numpy.typing import NDArray


Reference: TypeAlias = Callable[[Arguments, int], tuple[Tensor, ...]]
"""The outputs that the page of an operator version requires, from the arguments and the number of declared outputs.

It raises `BrokenClauseError` for arguments that the page forbids.
"""


_MOST_ELEMENTS, _MOST_PLACES = 1 << 30, 1 << 60
"""Of an output that a reference makes, and the product of its dims other than 0, which NumPy counts."""


def refuse_unheld(shape: Sequence[int]) -> None:
    """Refuse to make an output of this shape if most machines have no memory for it.

    Raises:
        UncoveredCallError: it has too many elements, or NumPy cannot count them.
    """
    if math.prod(shape) > _MOST_ELEMENTS or math.prod(length or 1 for length in shape) >= _MOST_PLACES:
        raise UncoveredCallError(f"an output of the shape {list(shape)} is not made")


def numbers_of(data: Tensor) -> NDArray[Any]:
    """The row-major number of each element, in the shape of the data: what moves them moves the data."""
    import numpy as np

    return np.arange(data.size).reshape(data.shape)


def repeated_shape(one: Sequence[int], other: Sequence[int], clause: str) -> tuple[int, ...]:
    """The dims of two shapes, aligned at the last one, where one of both may be 1 or missing. NumPy has the same rule,
    and refuses lengths that only data without elements can have.

    Raises:
        BrokenClauseError: two dims differ, and none of them is 1; or one is below 0.
        UncoveredCallError: no memory holds an output of that shape.
    """
    pairs = list(zip_longest(reversed(one), reversed(other), fillvalue=1))[::-1]
    if any((1 not in pair and pair[0] != pair[1]) or min(pair) < 0 for pair in pairs):
        raise BrokenClauseError(clause, f"the shapes {list(one)} and {list(other)} differ in a dim that is not 1")
    shape = tuple(second if first == 1 else first for first, second in pairs)
    refuse_unheld(shape)
    return shape


# The types of ONNX's operators that move data: lists that versions of several operators share.

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
