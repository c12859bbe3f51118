"""The element types of tensors, under their NumPy and ml_dtypes names.

A type without such a name is raw bits, which the suite moves without giving them a meaning: `nf4` as OpenVINO calls it,
and `uint3` and `uint6` as NumPy would. The module owns the width and bit layout of each type. It knows no framework and
imports no NumPy: planning a run needs neither.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, overload

from conformance.tensors.errors import nearest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Category(Enum):
    """What the bits of an element mean."""

    BOOL = "bool"
    SIGNED = "signed"
    UNSIGNED = "unsigned"
    FLOAT = "float"
    COMPLEX = "complex"
    STRING = "string"
    RAW = "raw"


class Specials(Enum):
    """Which bit patterns of a floating-point format are not finite numbers."""

    IEEE = "infinities and NaNs in the top exponent"
    TOP_NAN = "no infinity; NaN where all exponent and mantissa bits are set"
    ONE_NAN = "no infinity, no negative zero; NaN in its place"
    NONE = "finite numbers only"


@dataclass(frozen=True, slots=True)
class FloatLayout:
    """Bits of a floating-point format, sign first where there is one."""

    sign_bits: int
    exponent_bits: int
    mantissa_bits: int
    specials: Specials

    @property
    def sign(self) -> int:
        """The sign bit; in a format without one, the bit above all others."""
        return 1 << (self.exponent_bits + self.mantissa_bits)

    @property
    def top(self) -> int:
        """All bits of the exponent."""
        return self.sign - (1 << self.mantissa_bits)

    @overload
    def is_nan(self, pattern: int) -> bool: ...
    @overload
    def is_nan(self, pattern: NDArray[Any]) -> NDArray[np.bool_]: ...
    def is_nan(self, pattern: Any) -> Any:
        """Whether these bits, or those at each place of an array, are not a number."""
        magnitude = pattern & (self.sign - 1)
        match self.specials:
            case Specials.IEEE:
                return magnitude > self.top
            case Specials.TOP_NAN:
                return magnitude == self.sign - 1
            case Specials.ONE_NAN:
                return pattern == self.sign
            case Specials.NONE:
                return magnitude < 0


@dataclass(frozen=True, slots=True)
class ElementType:
    """One element type.

    `bits` are those that carry meaning; `itemsize` is the storage in bytes in a `Tensor`, where an element of a
    sub-byte type has a byte of its own and fills its low bits. Complex types give the layout of one of their parts.
    Strings have neither width nor layout: both are 0 and None.
    """

    name: str
    category: Category
    bits: int
    itemsize: int
    layout: FloatLayout | None = None

    @property
    def sign_bit(self) -> int:
        """The sign bit of a floating-point type; 0 for a type without one."""
        has_sign = self.category is Category.FLOAT and self.layout is not None and self.layout.sign_bits
        return 1 << (self.bits - 1) if has_sign else 0

    @property
    def integers(self) -> range:
        """The range of an integer type."""
        if self.category is Category.SIGNED:
            return range(-(1 << (self.bits - 1)), 1 << (self.bits - 1))
        return range(1 << self.bits)


def _float(name: str, sign: int, exponent: int, mantissa: int, specials: Specials) -> ElementType:
    bits = sign + exponent + mantissa
    return ElementType(name, Category.FLOAT, bits, (bits + 7) // 8, FloatLayout(sign, exponent, mantissa, specials))


def _integers() -> list[ElementType]:
    widths = (1, 2, 4, 8, 16, 32, 64)
    return [
        ElementType(f"{prefix}{bits}", kind, bits, (bits + 7) // 8)
        for prefix, kind in (("int", Category.SIGNED), ("uint", Category.UNSIGNED))
        for bits in widths
    ]


def _all() -> list[ElementType]:
    float32 = _float("float32", 1, 8, 23, Specials.IEEE)
    float64 = _float("float64", 1, 11, 52, Specials.IEEE)
    return [
        ElementType("bool", Category.BOOL, 8, 1),
        *_integers(),
        _float("float16", 1, 5, 10, Specials.IEEE),
        float32,
        float64,
        _float("bfloat16", 1, 8, 7, Specials.IEEE),
        _float("float8_e3m4", 1, 3, 4, Specials.IEEE),
        _float("float8_e4m3", 1, 4, 3, Specials.IEEE),
        _float("float8_e4m3fn", 1, 4, 3, Specials.TOP_NAN),
        _float("float8_e4m3fnuz", 1, 4, 3, Specials.ONE_NAN),
        _float("float8_e4m3b11fnuz", 1, 4, 3, Specials.ONE_NAN),
        _float("float8_e5m2", 1, 5, 2, Specials.IEEE),
        _float("float8_e5m2fnuz", 1, 5, 2, Specials.ONE_NAN),
        _float("float8_e8m0fnu", 0, 8, 0, Specials.TOP_NAN),
        _float("float6_e2m3fn", 1, 2, 3, Specials.NONE),
        _float("float6_e3m2fn", 1, 3, 2, Specials.NONE),
        _float("float4_e2m1fn", 1, 2, 1, Specials.NONE),
        ElementType("complex64", Category.COMPLEX, 64, 8, float32.layout),
        ElementType("complex128", Category.COMPLEX, 128, 16, float64.layout),
        ElementType("string", Category.STRING, 0, 0),
        *(ElementType(name, Category.RAW, bits, 1) for name, bits in (("nf4", 4), ("uint3", 3), ("uint6", 6))),
    ]


DTYPES: dict[str, ElementType] = {dtype.name: dtype for dtype in _all()}
"""Every type by its name."""
INTEGERS = tuple(name for name, dtype in DTYPES.items() if dtype.category in (Category.SIGNED, Category.UNSIGNED))
"""The types of whole numbers, with and without sign."""

_FAMILIES = {
    "i": "int", "s": "int", "sint": "int", "u": "uint", "f": "float", "fp": "float", "bf": "bfloat", "bfp": "bfloat",
    "c": "complex", "cfloat": "complex",
}  # fmt: skip
_OTHER_NAMES = {
    "half": ("float16",),
    "single": ("float32",),
    "float": ("float32", "float64"),
    "double": ("float64",),
    "char": ("int8",),
    "byte": ("uint8", "int8"),
    "short": ("int16",),
    "int": ("int32", "int64"),
    "long": ("int64",),
    "longlong": ("int64",),
    "uint": ("uint32", "uint64"),
    "ulong": ("uint64",),
    "boolean": ("bool",),
    "complex": ("complex64", "complex128"),
    "str": ("string",),
    "text": ("string",),
    "object": ("string",),
}
_FLOAT8 = re.compile(r"(?:f|fp|float)([468])_?(e[0-9]m[0-9][a-z0-9]*)")
_WIDE = re.compile(r"([a-z]+)([0-9]+)")


def dtype_meant(word: str) -> str:
    """A remedy for a word that names no element type: the types that other libraries call so, or the nearest name."""
    meant = _meant(re.sub(r"^tensor\(|\)$|_t$|_$", "", word.lower()).rpartition(".")[2])
    if not meant:
        return nearest(word, DTYPES, otherwise="write a NumPy or ml_dtypes name, as float32 or int64")
    *others, last = map(repr, meant)
    return f"did you mean {', '.join(others)} or {last}?" if others else f"did you mean {last}?"


def _meant(word: str) -> list[str]:
    if float8 := _FLOAT8.fullmatch(word):
        return [name for name in DTYPES if name.startswith(f"float{float8[1]}_{float8[2]}")]
    wide = _WIDE.fullmatch(word)
    name = f"{_FAMILIES.get(wide[1], wide[1])}{wide[2]}" if wide else word
    return [name] if name in DTYPES else list(_OTHER_NAMES.get(word, ()))
