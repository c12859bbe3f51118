"""Turns numbers and texts of a case file into exact elements: `values` by value, `bits` by bit pattern.

Whole numbers stay integers from the text to the buffer, so that no NaN payload and no 64-bit value can change.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator

from conformance.formats.yaml_document import Plain
from conformance.values.dtypes import DTYPES, DType, Kind
from conformance.values.tensor import numpy_dtype, pack_integers, pack_strings

_STRUCT_CODES = {"float16": "e", "float32": "f", "float64": "d", "complex64": "f", "complex128": "d"}


def shape_of(values: Plain) -> tuple[int, ...]:
    """The shape of nested lists; a scalar has the shape ().

    Raises:
        ValueError: lists beside each other differ in length or depth.
    """
    if not isinstance(values, list):
        return ()
    shapes = {shape_of(item) for item in values}
    if len(shapes) > 1:
        raise ValueError("lists beside each other differ in length or depth")
    return (len(values), *(shapes.pop() if shapes else ()))


def data_from_values(values: Plain, dtype: str) -> bytes:
    """The elements of nested lists in row-major order.

    Complex numbers are texts such as "1-2j". Floats take whole numbers, decimals, `.inf` and `.nan`.

    Raises:
        ValueError: a value is not one of the type, or the type cannot hold it exactly.
    """
    items = list(_flat(values))
    kind = DTYPES[dtype]
    match kind.kind:
        case Kind.STRING:
            return bytes(pack_strings([_text(item).encode() for item in items], (len(items),)).data)
        case Kind.BOOL:
            return bytes(_bool(item) for item in items)
        case Kind.SIGNED | Kind.UNSIGNED:
            try:
                return bytes(pack_integers([_whole(item, dtype) for item in items], dtype, (len(items),)).data)
            except OverflowError as error:
                raise ValueError(str(error)) from None
        case Kind.RAW:
            raise ValueError(f"{dtype} has no numbers; use `bits`")
        case Kind.COMPLEX:
            pairs = [_complex(item) for item in items]
            return b"".join(_packed(dtype, part) for pair in pairs for part in (pair.real, pair.imag))
        case Kind.FLOAT:
            return b"".join(_packed(dtype, _number(item, dtype)) for item in items)


def data_from_bits(patterns: Plain, dtype: str) -> bytes:
    """Elements from bit patterns, written as whole numbers such as 0x7fa00001, in row-major order.

    Raises:
        ValueError: a pattern is not a whole number or has too many bits, or the type is string.
    """
    kind = DTYPES[dtype]
    if kind.kind is Kind.STRING:
        raise ValueError("strings have no bit patterns; use `values`")
    return b"".join(_pattern(item, kind) for item in _flat(patterns))


def _flat(values: Plain) -> Iterator[Plain]:
    if isinstance(values, list):
        for item in values:
            yield from _flat(item)
    else:
        yield values


def _pattern(item: Plain, kind: DType) -> bytes:
    if type(item) is not int or not 0 <= item < 1 << kind.bits:
        raise ValueError(f"{item!r} is not a pattern of {kind.bits} bits, the width of {kind.name}")
    return item.to_bytes(kind.itemsize, "little")


def _whole(item: Plain, dtype: str) -> int:
    if type(item) is not int:
        raise ValueError(f"{item!r} is not a whole number, which {dtype} needs")
    return item


def _number(item: Plain, dtype: str) -> float:
    if isinstance(item, bool) or not isinstance(item, (int, float)):
        raise ValueError(f"{item!r} is not a number, which {dtype} needs")
    number = float(item)
    if number != item and not math.isnan(number):
        raise ValueError(f"{dtype} cannot hold {item!r} exactly; write a number that it has, or use `bits`")
    return number


def _complex(item: Plain) -> complex:
    try:
        return complex(str(item).replace(" ", ""))
    except ValueError:
        raise ValueError(f'{item!r} is not a complex number; write one such as "1-2j"') from None


def _bool(item: Plain) -> bool:
    if not isinstance(item, bool):
        raise ValueError(f"{item!r} is neither true nor false")
    return item


def _text(item: Plain) -> str:
    if not isinstance(item, str):
        raise ValueError(f"{item!r} is not a text; put it in quotes")
    return item


def _packed(dtype: str, number: float) -> bytes:
    """A number as an element, or as a part of a complex one.

    Raises:
        ValueError: the type cannot hold the number exactly.
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
        raise ValueError(f"{dtype} cannot hold {number!r} exactly; write a number that it has, or use `bits`")
    return packed
