"""Writes recorded elements for readers: the shortest text that restores the same bits, and the bits.

It decodes every type of `dtypes` by its layout, so the text is exact and independent of NumPy and ml_dtypes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from conformance.log.record import TensorEntry, recorded_elements
from conformance.values.dtypes import DTYPES, DType, FloatLayout, Kind, Specials
from conformance.values.tensor import unpack_strings
from conformance.values.text import visible

_STRING_CHARACTERS = 80
_DOUBLE_MANTISSA_BITS = 52
_EXACT_BITS = 8
_OWN_BIAS = {"float8_e4m3b11fnuz": 11}


@dataclass(frozen=True, slots=True)
class Element:
    """One element: its value as text, its bits in hexadecimal, and whether other bits may have the same text."""

    text: str
    bits: str
    is_special: bool = False


def elements(entry: TensorEntry) -> tuple[Element, ...]:
    """The recorded elements in order.

    Raises:
        ValueError: the type does not exist, or the data does not match count and type.
    """
    if entry.dtype not in DTYPES or entry.count < 0:
        raise ValueError(f"there is no type {entry.dtype!r} with {entry.count} elements")
    tensor = recorded_elements(entry)
    if tensor.kind.itemsize == 0:
        return tuple(_string(item) for item in unpack_strings(tensor))
    data, width = bytes(tensor.data), tensor.kind.itemsize
    if len(data) != entry.count * width:
        raise ValueError(f"{len(data)} bytes are not {entry.count} elements of {entry.dtype}")
    mask = (1 << tensor.kind.bits) - 1
    return tuple(
        _element(entry.dtype, int.from_bytes(data[at : at + width], "little") & mask)
        for at in range(0, len(data), width)
    )


@lru_cache(maxsize=8192)
def _element(name: str, pattern: int) -> Element:
    dtype = DTYPES[name]
    bits = f"0x{pattern:0{(dtype.bits + 3) // 4}x}"
    match dtype.kind:
        case Kind.BOOL:
            known = {0: "false", 1: "true"}
            return Element(known.get(pattern, f"bool({bits})"), bits, is_special=pattern > 1)
        case Kind.FLOAT:
            return Element(float_text(dtype, pattern), bits, is_special=_is_special(dtype, pattern))
        case Kind.COMPLEX:
            return _complex(dtype, pattern)
        case Kind.RAW:
            return Element(bits, bits)
        case _:
            sign = 1 << (dtype.bits - 1) if dtype.kind is Kind.SIGNED else 0
            return Element(str((pattern ^ sign) - sign), bits)


def ulp_distance(name: str, one: Element, other: Element) -> int | None:
    """How many representable numbers lie between two numbers of a floating-point type, the second one included.

    None for other types and for NaN. Both zeros count as one number.
    """
    dtype = DTYPES.get(name)
    if dtype is None or dtype.kind is not Kind.FLOAT:
        return None
    patterns = [int(element.bits, 16) for element in (one, other)]
    if any(map(_layout(dtype).is_nan, patterns)):
        return None
    first, second = (_ordinal(_layout(dtype), pattern) for pattern in patterns)
    return abs(first - second)


def _ordinal(layout: FloatLayout, pattern: int) -> int:
    """The place of a number among all numbers of its type, counted from zero."""
    magnitude = pattern & _all_but_sign(layout)
    return -magnitude if pattern != magnitude else magnitude


def _complex(dtype: DType, pattern: int) -> Element:
    width = dtype.bits // 2
    parts = pattern & ((1 << width) - 1), pattern >> width
    real, imaginary = (float_text(dtype, part) for part in parts)
    joint = "" if imaginary.startswith("-") else "+"
    return Element(
        f"{real}{joint}{imaginary}j",
        " ".join(f"0x{part:0{width // 4}x}" for part in parts),
        is_special=any(_is_special(dtype, part) for part in parts),
    )


def _string(item: bytes) -> Element:
    shown = item[:_STRING_CHARACTERS]
    text = shown.decode("utf-8", "backslashreplace").replace("\\", "\\\\").replace('"', '\\"')
    text = visible(text.replace("\n", "\\n").replace("\t", "\\t"))
    more = "…" if len(item) > len(shown) else ""
    return Element(f'"{text}{more}"', (shown.hex(" ") or "no bytes") + more, is_special=text.encode() != item)


def float_text(dtype: DType, pattern: int) -> str:
    """The shortest decimal that identifies the number in its format; a signalling NaN becomes `sNaN`.

    Numbers of types of up to 8 bits are written in full: they are so far apart that the shortest decimal would mislead.
    `pattern` holds the bits of a floating-point type, or of one part of a complex one.
    """
    layout = _layout(dtype)
    sign = "-" if layout.sign_bits and pattern >> (layout.exponent_bits + layout.mantissa_bits) else ""
    magnitude = pattern & _all_but_sign(layout)
    if layout.is_nan(pattern):
        can_signal = layout.specials is Specials.IEEE and layout.mantissa_bits > 1
        is_quiet = not can_signal or pattern >> (layout.mantissa_bits - 1) & 1
        name = "NaN" if is_quiet else "sNaN"
        return name if layout.specials is Specials.ONE_NAN else sign + name
    if layout.specials is Specials.IEEE and magnitude == ((1 << layout.exponent_bits) - 1) << layout.mantissa_bits:
        return f"{sign}inf"
    return sign + _shortest(dtype, magnitude)


def _shortest(dtype: DType, magnitude: int) -> str:
    value = _value(dtype, magnitude)
    is_double = _layout(dtype).mantissa_bits == _DOUBLE_MANTISSA_BITS
    if value == 0 or is_double or dtype.bits <= _EXACT_BITS:
        return repr(value)
    low = (value + _value(dtype, magnitude - 1)) / 2 if magnitude else value / 2
    high = (value + _value(dtype, magnitude + 1)) / 2
    for digits in range(1, 17):
        candidate = float(f"{value:.{digits}g}")
        if low < candidate < high:
            return repr(candidate)
    return repr(value)


def _value(dtype: DType, magnitude: int) -> float:
    """The number given by exponent and mantissa, even if the format defines the pattern as a NaN."""
    layout = _layout(dtype)
    exponent, mantissa = divmod(magnitude, 1 << layout.mantissa_bits)
    lowest = 1 - _bias(dtype) - layout.mantissa_bits
    if exponent == 0 and layout.mantissa_bits:
        return math.ldexp(mantissa, lowest)
    return math.ldexp((1 << layout.mantissa_bits) + mantissa, exponent - 1 + lowest)


def _bias(dtype: DType) -> int:
    if dtype.name in _OWN_BIAS:
        return _OWN_BIAS[dtype.name]
    layout = _layout(dtype)
    return (1 << (layout.exponent_bits - 1)) - (layout.specials is not Specials.ONE_NAN)


def _is_special(dtype: DType, pattern: int) -> bool:
    """Whether it is a NaN, a zero or a subnormal number: their texts may be the same although the bits differ."""
    layout = _layout(dtype)
    return layout.is_nan(pattern) or pattern & _all_but_sign(layout) < 1 << layout.mantissa_bits


def _layout(dtype: DType) -> FloatLayout:
    assert dtype.layout is not None
    return dtype.layout


def _all_but_sign(layout: FloatLayout) -> int:
    return (1 << (layout.exponent_bits + layout.mantissa_bits)) - 1
