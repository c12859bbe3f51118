"""Turns numbers and texts of a case file into exact elements: `values` by value, `bits` by bit pattern.

Whole numbers stay integers from the text to the buffer, so that no NaN payload and no 64-bit value can change.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from typing import TypeVar

from conformance.formats.file_schema import SchemaError, kind_of, rewritten, shown
from conformance.formats.yaml_document import KeyPath, Plain
from conformance.values.dtypes import DTYPES, DType, Kind
from conformance.values.tensor import numpy_dtype, pack_integers, pack_strings

Item = TypeVar("Item", str, bool, int)

_STRUCT_CODES = {"float16": "e", "float32": "f", "float64": "d", "complex64": "f", "complex128": "d"}


def shape_of(values: Plain, keys: KeyPath = ()) -> tuple[int, ...]:
    """The shape of nested lists, to which `keys` lead; a scalar has the shape ().

    Raises:
        SchemaError: lists next to each other differ in length or depth.
    """
    if not isinstance(values, list):
        return ()
    shapes = [shape_of(item, (*keys, index)) for index, item in enumerate(values)]
    for index, shape in enumerate(shapes):
        if shape != shapes[0]:
            what = f"{_extent(shape)} stands next to {_extent(shapes[0])}"
            raise SchemaError((*keys, index), what, "give lists next to each other the same length and depth")
    return (len(values), *(shapes[0] if shapes else ()))


def data_from_values(values: Plain, dtype: str, keys: KeyPath = ()) -> bytes:
    """The elements of nested lists, to which `keys` lead, in row-major order.

    Complex numbers are texts such as "1-2j". Floats take whole numbers, decimals, `.inf` and `.nan`.

    Raises:
        SchemaError: a value is not one of the type, or the type cannot hold it exactly.
    """
    kind, items = DTYPES[dtype], _flat(values, keys)
    match kind.kind:
        case Kind.STRING:
            texts = [_of_type(str, item, dtype, "a text", at).encode() for at, item in items]
            return bytes(pack_strings(texts, (len(texts),)).data)
        case Kind.BOOL:
            return bytes([_of_type(bool, item, dtype, "true or false", at) for at, item in items])
        case Kind.SIGNED | Kind.UNSIGNED:
            numbers = [_whole(item, kind, at) for at, item in items]
            return bytes(pack_integers(numbers, dtype, (len(numbers),)).data)
        case Kind.RAW:
            raise SchemaError(keys, f"{dtype} has no numbers", "write `bits`")
        case Kind.COMPLEX:
            return b"".join(_complex(item, dtype, at) for at, item in items)
        case Kind.FLOAT:
            return b"".join(_float(item, dtype, at) for at, item in items)


def data_from_bits(patterns: Plain, dtype: str, keys: KeyPath = ()) -> bytes:
    """Elements from bit patterns, written as whole numbers such as 0x7fa00001, in row-major order.

    Raises:
        SchemaError: a pattern is not a whole number or has too many bits, or the type is string.
    """
    kind = DTYPES[dtype]
    if kind.kind is Kind.STRING:
        raise SchemaError(keys, "strings have no bit patterns", "write `values`")
    return b"".join(_pattern(item, kind, at) for at, item in _flat(patterns, keys))


def _extent(shape: tuple[int, ...]) -> str:
    return f"a list of shape {list(shape)}" if shape else "a single value"


def _flat(values: Plain, keys: KeyPath) -> Iterator[tuple[KeyPath, Plain]]:
    """Each value in row-major order, with the keys that lead to it."""
    if isinstance(values, list):
        for index, item in enumerate(values):
            yield from _flat(item, (*keys, index))
    else:
        yield keys, values


def _pattern(item: Plain, kind: DType, keys: KeyPath) -> bytes:
    if type(item) is not int or not 0 <= item < 1 << kind.bits:
        what = f"{item!r} is not a pattern of {kind.bits} bits, the width of {kind.name}"
        raise SchemaError(keys, what, f"write a whole number from 0 to {(1 << kind.bits) - 1:#x}")
    return item.to_bytes(kind.itemsize, "little")


def _whole(item: Plain, kind: DType, keys: KeyPath) -> int:
    number = _of_type(int, item, kind.name, "a whole number", keys)
    if number not in kind.integers:
        first, last = kind.integers[0], kind.integers[-1]
        raise SchemaError(keys, f"{number} does not fit {kind.name}", f"write a number from {first} to {last}")
    return number


def _float(item: Plain, dtype: str, keys: KeyPath) -> bytes:
    if isinstance(item, bool) or not isinstance(item, (int, float)):
        raise _other_kind(item, dtype, "a number", keys)
    number = float(item)
    if number != item and not math.isnan(number):
        raise _inexact(item, dtype, keys)
    return _packed(dtype, number, keys)


def _complex(item: Plain, dtype: str, keys: KeyPath) -> bytes:
    try:
        number = complex(str(item).replace(" ", ""))
    except ValueError:
        raise SchemaError(keys, f"{item!r} is not a complex number", 'write one such as "1-2j"') from None
    return _packed(dtype, number.real, keys) + _packed(dtype, number.imag, keys)


def _of_type(wanted: type[Item], item: Plain, dtype: str, needed: str, keys: KeyPath) -> Item:
    if type(item) is not wanted:
        raise _other_kind(item, dtype, needed, keys)
    return item


def _other_kind(item: Plain, dtype: str, needed: str, keys: KeyPath) -> SchemaError:
    return SchemaError(keys, f"{shown(item)} is {kind_of(item)}, and {dtype} needs {needed}", rewritten(item, [needed]))


def _packed(dtype: str, number: float, keys: KeyPath) -> bytes:
    """A number as an element, or as a part of a complex one.

    Raises:
        SchemaError: the type cannot hold the number exactly.
    """
    code = _STRUCT_CODES.get(dtype)
    try:
        if code is not None:
            packed = struct.pack(f"<{code}", number)
            (back,) = struct.unpack(f"<{code}", packed)
        else:
            import numpy as np

            with np.errstate(all="ignore"):
                element = np.float64(number).astype(numpy_dtype(dtype))
            packed, back = element.tobytes(), float(element)
    except OverflowError:
        back = math.inf
    if back != number and not (math.isnan(number) and math.isnan(back)):
        raise _inexact(number, dtype, keys)
    return packed


def _inexact(number: float, dtype: str, keys: KeyPath) -> SchemaError:
    return SchemaError(keys, f"{dtype} cannot hold {number!r} exactly", "write a number that it has, or use `bits`")
