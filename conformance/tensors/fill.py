"""Contents for tensors whose case gives a shape and no values.

`distinct` makes every element different from its neighbours, and from all others as far as the type has enough values,
so that a misplaced element shows. `special` walks through bit patterns that naive implementations break. A challenge,
any number but 0, replaces the elements of `distinct` by others that differ as much, and rotates those of `special`.
"""

from __future__ import annotations

import math
from enum import Enum
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any

from conformance.tensors.dtypes import DTYPES, Category, ElementType, FloatLayout, Specials
from conformance.tensors.tensor import Tensor, pack_strings, unpack_strings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Fill(Enum):
    """How a tensor without given values is filled."""

    DISTINCT = "distinct"
    SPECIAL = "special"


_SMALL_BYTES = 1 << 16
_MEDIUM_BYTES = 1 << 22
_CHUNK_ELEMENTS = 1 << 16
_BLOCK = 1 << 16


def filled(dtype: str, shape: tuple[int, ...], fill: Fill, start: int = 0, challenge: int = 0) -> Tensor:
    """A tensor with the fill's elements from number `start` on, in row-major order, after the challenge.

    Raises:
        KeyError: there is no type with that name.
    """
    count = math.prod(shape)
    nbytes = count * max(1, DTYPES[dtype].itemsize)
    content = _small if nbytes <= _SMALL_BYTES else _medium if nbytes <= _MEDIUM_BYTES else _large
    return Tensor(dtype, shape, content(dtype, count, fill, start, challenge))


def _content(dtype: str, count: int, fill: Fill, start: int, challenge: int) -> bytes:
    element_type = DTYPES[dtype]
    if challenge and fill is Fill.SPECIAL and count:
        # Rotated, not replaced: statements about a case may depend on which patterns its data contains.
        return _rotated(element_type, _content(dtype, count, fill, start, 0), count, challenge % count)
    if element_type.category is Category.STRING:
        make = _special_strings if fill is Fill.SPECIAL else partial(_distinct_strings, challenge=challenge)
        return bytes(pack_strings([item.encode() for item in make(range(start, start + count))], (count,)).data)
    # In chunks that fit a processor's cache: the index of an element (8 bytes) can be several times its size.
    starts = range(0, count, _CHUNK_ELEMENTS)
    chunks = ((min(_CHUNK_ELEMENTS, count - at), start + at) for at in starts)
    return b"".join(
        (
            _special(element_type, *chunk) if fill is Fill.SPECIAL else _distinct(element_type, *chunk, challenge)
        ).tobytes()
        for chunk in chunks
    )


# A case runs in several forms in turn, and each needs the data twice: for the request and for the judgement. Of large
# tensors, the cache keeps only one, for the judgement.
_small = lru_cache(maxsize=4096)(_content)
_medium = lru_cache(maxsize=8)(_content)
_large = lru_cache(maxsize=1)(_content)


def _rotated(element_type: ElementType, data: bytes, count: int, places: int) -> bytes:
    if element_type.category is Category.STRING:
        items = unpack_strings(Tensor(element_type.name, (count,), data))
        return bytes(pack_strings(items[places:] + items[:places], (count,)).data)
    cut = places * element_type.itemsize
    return data[cut:] + data[:cut]


def _exchanged(index: NDArray[np.uint64], block: int, challenge: int) -> NDArray[np.uint64]:
    """The element numbers after a challenge: the first `block`, a power of two, are permuted; others stay."""
    import numpy as np

    factor, offset = np.uint64(challenge % block | 1), np.uint64(challenge >> 32 & 0xFFFFFFFF)
    return np.where(index < block, (index * factor + offset) % np.uint64(block), index) if challenge else index


def special_patterns(layout: FloatLayout) -> tuple[int, ...]:
    """The bit patterns of one floating-point format that implementations often get wrong, each once.

    Both zeros, both ends of the subnormals, the smallest normal and the largest finite numbers, the infinities, and
    quiet and signalling NaNs with payloads, with either sign, as far as the format has them.
    """
    mantissa, top = layout.mantissa_bits, layout.top
    ones = (1 << mantissa) - 1
    positive = [0, 1, ones, 1 << mantissa, top - 1, 1 << max(0, mantissa - 1)]
    if layout.specials is Specials.IEEE:
        quiet = 1 << (mantissa - 1)
        positive += [top, top | quiet, top | quiet | 1, top | 1, top | (quiet - 1), top | ones]
    else:
        positive += [top, top | ones]
    signs = (0, layout.sign) if layout.sign_bits else (0,)
    return tuple(dict.fromkeys(sign | pattern for pattern in positive for sign in signs if pattern >= 0))


def _distinct(element_type: ElementType, count: int, start: int, challenge: int) -> NDArray[Any]:
    import numpy as np

    index = np.arange(start, start + count, dtype=np.uint64)
    if element_type.category is Category.BOOL:
        return (_mixed(index + np.uint64(challenge & 0xFFFFFFFF)) & np.uint64(1)).astype(np.uint8)
    index = _exchanged(index, _exchangeable(element_type), challenge)
    if element_type.category is Category.COMPLEX:
        part = np.dtype(f"<f{element_type.itemsize // 2}")
        return np.stack([index, -1.0 - index.astype(np.float64)], axis=-1).astype(part)
    if element_type.layout is not None:
        return _from_patterns(_finite_patterns(element_type), index, element_type)
    if element_type.bits == 64:
        return index
    return _from_patterns(_whole_patterns(min(element_type.bits, 16)), index, element_type)


@cache
def _whole_patterns(bits: int) -> NDArray[np.uint32]:
    import numpy as np

    return np.arange(1 << bits, dtype=np.uint32)


def _exchangeable(element_type: ElementType) -> int:
    """How many elements, a power of two, a challenge may permute. For floats, these are the integers from 0 up, so that
    what holds for all of them (none is negative) still holds.
    """
    if element_type.layout is not None:
        return min(1 << (element_type.layout.mantissa_bits + 1), _BLOCK)
    return min(1 << element_type.bits, _BLOCK)


def _from_patterns(patterns: NDArray[Any], index: NDArray[np.uint64], element_type: ElementType) -> NDArray[Any]:
    """The patterns in order, then an aperiodic shuffle of them; wide types count on instead."""
    import numpy as np

    available = np.uint64(len(patterns))
    is_listed = index < available
    if is_listed.all():
        chosen: NDArray[Any] = patterns[index]
    elif element_type.bits > 16:
        chosen = index + patterns[-1]
        chosen[is_listed] = patterns[index[is_listed]]
    else:
        chosen = patterns[np.where(is_listed, index, _mixed(index) % available)]
    return chosen.astype(np.dtype(f"<u{element_type.itemsize}"))


@lru_cache(maxsize=64)
def _finite_patterns(element_type: ElementType) -> NDArray[np.uint64]:
    """Bit patterns of integers from 0 up while they are exact; narrow types continue with all other finite ones."""
    import numpy as np

    from conformance.tensors.tensor import numpy_dtype

    layout = element_type.layout
    assert layout is not None
    bits = np.dtype(f"<u{element_type.itemsize}")
    dtype = numpy_dtype(element_type.name)
    exact = 1 << min(layout.mantissa_bits + 1, 16)
    with np.errstate(all="ignore"):
        whole = np.arange(exact).astype(dtype)
        usable = np.isfinite(whole.astype(np.float64)) & (whole.astype(np.float64) == np.arange(exact))
        patterns: NDArray[np.uint64] = whole[usable].view(bits).astype(np.uint64)
        if element_type.bits > 16:
            return patterns
        every = np.arange(1 << element_type.bits).astype(bits)
        values = every.view(dtype).astype(np.float64)
    negative_zero = (values == 0) & np.signbit(values)
    rest = every[np.isfinite(values) & ~negative_zero].astype(np.uint64)
    return np.concatenate([patterns, rest[~np.isin(rest, patterns)]])


def _special(element_type: ElementType, count: int, start: int) -> NDArray[Any]:
    import numpy as np

    index = np.arange(start, start + count)
    if element_type.layout is not None:
        patterns = np.array(special_patterns(element_type.layout), dtype=np.uint64)
        part = np.dtype(
            f"<u{element_type.itemsize // 2 if element_type.category is Category.COMPLEX else element_type.itemsize}"
        )
        real = patterns[index % len(patterns)].astype(part)
        if element_type.category is not Category.COMPLEX:
            return real
        return np.stack([real, patterns[(index + 1) % len(patterns)].astype(part)], axis=-1)
    if element_type.category is Category.BOOL:
        return (index % 2).astype(np.uint8)
    if element_type.category is Category.RAW:
        return (index % (1 << element_type.bits)).astype(np.uint8)
    ones = (1 << element_type.bits) - 1
    extremes = [0, 1, ones, ones >> 1, (ones >> 1) + 1, ones - 1]
    extremes += [(1 << power) + 1 for power in (24, 31, 32, 53) if power < element_type.bits]
    return np.array(extremes, dtype=np.uint64)[index % len(extremes)].astype(np.dtype(f"<u{element_type.itemsize}"))


def _mixed(index: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A fixed, aperiodic scramble of each index (the finalizer of SplitMix64)."""
    import numpy as np

    with np.errstate(over="ignore"):
        mixed: NDArray[np.uint64] = index + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> np.uint64(31))


def _distinct_strings(indices: range, challenge: int) -> list[str]:
    """Lengths differ from element to element, so that an error in an offset table shows."""
    import numpy as np

    numbers = _exchanged(np.arange(indices.start, indices.stop, dtype=np.uint64), _BLOCK, challenge).tolist()
    return [f"s{number}" + "é" * (index % 3) for index, number in zip(indices, numbers, strict=True)]


_LETTERS = "abcdefghijklmnopqrstuvw"
_SPECIAL_STRINGS = (
    *(" Naïve Ελληνικά e\u0301 漢字\n", "", "a", "\u00e9 e\u0301", _LETTERS[:16], "Straße \u0130 \u017f"),
    *(" leading", "trailing "),
    *("x" * 300, _LETTERS[:23], "😀", _LETTERS[:15], "tab\tnewline\n", _LETTERS[:22]),
    *("y" * 1023, "漢" * 1000, "z" * 70_000, "two\r\nlines", "zero\0byte"),
)
"""Texts that change if they are cut, trimmed, normalised (one é is two code points) or written in lower case, also at
the lengths up to which a text lies within its object: 15 and 22 bytes. The first one changes by each of these.
"""


def _special_strings(indices: range) -> list[str]:
    return [_SPECIAL_STRINGS[index % len(_SPECIAL_STRINGS)] for index in indices]
