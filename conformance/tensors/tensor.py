"""A tensor as exact bits: the only form in which values travel, are compared and are recorded.

It owns the encoding of elements to bytes, and does not know what a value means to an operator. NumPy is imported only
when an array is needed.
"""

from __future__ import annotations

import hashlib
import math
import struct
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from conformance.tensors.dtypes import DTYPES, Category, ElementType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CHUNK = 1 << 20
_SMALL = 1 << 12

Bytes = bytes | bytearray | memoryview

KnownShape = tuple[int | None, ...] | None
"""A shape before there is a tensor: None for an unknown dim, or as a whole for an unknown rank."""


def allows(known: KnownShape, shape: tuple[int, ...]) -> bool:
    """Whether a shape has the known dims."""
    if known is None:
        return True
    return len(known) == len(shape) and all(dim in (None, length) for dim, length in zip(known, shape, strict=True))


@dataclass(frozen=True, slots=True)
class Tensor:
    """Element type, shape (row-major) and the elements' bits.

    A dim of a wrong answer may be negative. Such a tensor has no elements. An answer may be too large to be read: its
    tensors have elements, and no data.

    `data` holds the elements one after the other, little-endian, `itemsize` bytes each. Only the low bits of a sub-byte
    element count. Strings are packed: one unsigned 32-bit length in bytes per element, then the UTF-8 bytes of all
    elements.
    """

    dtype: str
    shape: tuple[int, ...]
    data: Bytes = field(repr=False)  # a memoryview shows its address, and messages must not differ between runs

    @property
    def size(self) -> int:
        """Number of elements."""
        return element_count(self.shape)

    @property
    def is_unread(self) -> bool:
        """Whether the elements are not known, since the answer was too large."""
        return not self.data and self.size > 0

    @property
    def element_type(self) -> ElementType:
        """The entry of the type table."""
        return DTYPES[self.dtype]


def element_count(shape: Sequence[int]) -> int:
    """Number of elements of a tensor with this shape; 0 if a dim is negative."""
    return math.prod(shape) if min(shape, default=0) >= 0 else 0


@cache
def numpy_dtype(name: str) -> np.dtype[Any]:
    """NumPy's dtype for a type's name; strings are arrays of objects.

    Raw bits are one-byte records, which NumPy moves but cannot compute with. Their only field has the type's name.

    Raises:
        KeyError: there is no type with that name.
    """
    import numpy as np

    if DTYPES[name].itemsize == 0:
        return np.dtype(object)
    if DTYPES[name].category is Category.RAW:
        return np.dtype([(name, np.uint8)])
    if name in np.sctypeDict:
        return np.dtype(name)
    import ml_dtypes

    made: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    return made


def is_lacking(name: str) -> bool:
    """Whether the ml_dtypes of this Python is too old to have the type."""
    try:
        return numpy_dtype(name) is None
    except AttributeError:
        return True


def tensor_from_array(array: NDArray[Any]) -> Tensor:
    """The bits of a NumPy array in row-major order, without a copy if they already are in that order.

    Arrays of objects, `str_` and `bytes_` become strings; byte strings must be UTF-8.

    Raises:
        TypeError: the dtype has no name in the type table, or an object is not text.
    """
    import numpy as np

    if array.dtype.kind in "OUST":
        return pack_strings([_utf8(item) for item in array.reshape(-1).tolist()], array.shape)
    name = type_name(array.dtype)
    if name not in DTYPES:
        raise TypeError(f"an array of dtype {name!r} has no type of the suite")
    if array.dtype.byteorder == ">" or (array.dtype.byteorder == "=" and sys.byteorder == "big"):
        array = array.astype(array.dtype.newbyteorder("<"))
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return Tensor(name, array.shape, data.data)


@cache
def type_name(dtype: np.dtype[Any]) -> str:
    """The name of the type of an array's elements; NumPy's own name for other dtypes."""
    # Cached: NumPy builds the name at each access, which takes longer than everything else for a small array.
    raw = [name for name in dtype.names or () if name in DTYPES and dtype == numpy_dtype(name)]
    return raw[0] if raw else dtype.name


def array_from_tensor(tensor: Tensor) -> NDArray[Any]:
    """A read-only NumPy array over the tensor's bits; strings become an array of `str` objects."""
    import numpy as np

    if tensor.element_type.itemsize == 0:
        flat = np.empty(tensor.size, dtype=object)
        flat[:] = [item.decode() for item in unpack_strings(tensor)]
        return flat.reshape(tensor.shape)
    return np.frombuffer(tensor.data, dtype=numpy_dtype(tensor.dtype)).reshape(tensor.shape)


def pack_strings(items: list[bytes], shape: tuple[int, ...]) -> Tensor:
    """A string tensor from the UTF-8 bytes of its elements, in row-major order."""
    lengths = struct.pack(f"<{len(items)}I", *map(len, items))
    return Tensor("string", shape, lengths + b"".join(items))


def unpack_strings(tensor: Tensor) -> list[bytes]:
    """The elements' UTF-8 bytes in row-major order.

    Raises:
        ValueError: the data does not hold as many strings as the shape has elements.
    """
    count = tensor.size
    data = bytes(tensor.data)
    if len(data) < 4 * count:
        raise ValueError(f"{len(data)} bytes cannot hold the lengths of {count} strings")
    lengths = struct.unpack_from(f"<{count}I", data)
    if len(data) != 4 * count + sum(lengths):
        raise ValueError(f"the strings' lengths add up to {sum(lengths)} bytes, but {len(data) - 4 * count} follow")
    items, start = [], 4 * count
    for length in lengths:
        items.append(data[start : start + length])
        start += length
    return items


def zero_of(tensor: Tensor) -> Tensor:
    """One element of the tensor's type whose bits are all 0; the empty string."""
    width = tensor.element_type.itemsize
    return Tensor(tensor.dtype, (1,), bytes(width)) if width else pack_strings([b""], (1,))


def scalar_of(number: object, dtype: str) -> Tensor:
    """A tensor without dims that has a number as its element.

    Raises:
        ValueError: it is not a number of the type.
    """
    import numpy as np

    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ValueError(f"{number!r} is not a number")
    return tensor_from_array(np.array(number, np.float64).astype(numpy_dtype(dtype)))


def pack_integers(values: list[int], dtype: str, shape: tuple[int, ...]) -> Tensor:
    """An integer tensor from its values in row-major order, in two's complement.

    Raises:
        OverflowError: a value does not fit the type.
    """
    kind = DTYPES[dtype]
    fitting = kind.integers
    for value in values:
        if value not in fitting:
            raise OverflowError(f"{value} does not fit {dtype}, which holds {fitting[0]} to {fitting[-1]}")
    mask = (1 << kind.bits) - 1
    return Tensor(dtype, shape, b"".join((value & mask).to_bytes(kind.itemsize, "little") for value in values))


def unpack_integers(tensor: Tensor) -> list[int]:
    """The values of an integer tensor in row-major order."""
    kind, data = tensor.element_type, bytes(tensor.data)
    sign, mask = (1 << (kind.bits - 1) if kind.category is Category.SIGNED else 0), (1 << kind.bits) - 1
    raw = (int.from_bytes(data[at : at + kind.itemsize], "little") & mask for at in range(0, len(data), kind.itemsize))
    return [(value ^ sign) - sign for value in raw]


def slices_along(tensor: Tensor, axis: int, bounds: Iterable[tuple[int, int]]) -> tuple[Tensor, ...]:
    """The ranges (start, stop exclusive) along an axis counted from the front; all other axes whole."""
    before, after = tensor.shape[:axis], tensor.shape[axis + 1 :]
    make = _string_cutter if tensor.element_type.itemsize == 0 else _element_cutter
    cut = make(tensor, math.prod(before), math.prod(after))
    return tuple(Tensor(tensor.dtype, (*before, stop - start, *after), cut(start, stop)) for start, stop in bounds)


def gathered(sources: Sequence[Tensor], numbers: NDArray[Any]) -> Tensor:
    """The tensor that has, at each place, the element of the sources with that number.

    Numbers are row-major and counted through all sources.

    Raises:
        ValueError: there is no source, or the sources differ in type.
    """
    import numpy as np

    if len({source.dtype for source in sources}) != 1:
        raise ValueError("the elements of one output come from one or more tensors of one type")
    dtype, width = sources[0].dtype, sources[0].element_type.itemsize
    if not width:
        items = [item for source in sources for item in unpack_strings(source)]
        return pack_strings([items[number] for number in numbers.reshape(-1).tolist()], numbers.shape)
    whole = np.concatenate([np.frombuffer(source.data, f"V{width}") for source in sources])
    return Tensor(dtype, numbers.shape, whole[numbers.reshape(-1)].tobytes())


def rectified(tensor: Tensor) -> Tensor:
    """The Relu of floating-point numbers: 0 for those with the sign bit set. Other tensors stay unchanged."""
    sign = tensor.element_type.sign_bit
    if not sign:
        return tensor
    import numpy as np

    given = np.frombuffer(tensor.data, f"<u{tensor.element_type.itemsize}")
    zero, mask = given.dtype.type(0), given.dtype.type(sign)
    return Tensor(tensor.dtype, tensor.shape, np.where(given & mask, zero, given).tobytes())


def _element_cutter(tensor: Tensor, rows: int, inner: int) -> Callable[[int, int], Bytes]:
    """A function that cuts the same range out of every row of elements."""
    view, step = memoryview(tensor.data), inner * tensor.element_type.itemsize
    if rows == 1:
        return lambda start, stop: view[start * step : stop * step]
    import numpy as np

    table = np.frombuffer(view, np.uint8).reshape(rows, len(view) // rows if rows else 0)
    return lambda start, stop: table[:, start * step : stop * step].tobytes()


def _string_cutter(tensor: Tensor, rows: int, inner: int) -> Callable[[int, int], Bytes]:
    """A function that cuts lengths and text of the same range out of every row, without an object for each string."""
    import numpy as np

    rows = rows if tensor.size else 0  # many rows without elements have no text either
    lengths = np.frombuffer(tensor.data, "<u4", tensor.size).reshape(rows, tensor.size // rows if rows else 0)
    bounds = 4 * tensor.size + np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    firsts = np.arange(rows) * lengths.shape[1]

    def cut(start: int, stop: int) -> bytes:
        begins, ends = (bounds[firsts + at * inner].tolist() for at in (start, stop))
        texts = (tensor.data[begin:end] for begin, end in zip(begins, ends, strict=True))
        return lengths[:, start * inner : stop * inner].tobytes() + b"".join(texts)

    return cut


def mask_unused_bits(tensor: Tensor) -> Bytes:
    """The data with the unused high bits of sub-byte elements cleared; other types as they are."""
    kind = tensor.element_type
    if kind.bits >= 8 or kind.itemsize == 0:
        return tensor.data
    import numpy as np

    return (np.frombuffer(tensor.data, np.uint8) & ((1 << kind.bits) - 1)).tobytes()


def has_same_bits(one: Tensor, other: Tensor) -> bool:
    """Whether two tensors of one dtype and shape agree in every meaningful bit."""
    if len(one.data) <= _SMALL and one.data == other.data:  # the usual case; masking unused bits takes longer
        return True
    left, right = memoryview(mask_unused_bits(one)), memoryview(mask_unused_bits(other))
    return left.nbytes == right.nbytes and all(
        bytes(left[at : at + _CHUNK]) == bytes(right[at : at + _CHUNK]) for at in range(0, left.nbytes, _CHUNK)
    )


def packed(array: NDArray[Any], bits: int) -> NDArray[np.uint8]:
    """The low `bits` (1, 2 or 4) of each one-byte element, packed into bytes from the lowest bits up.

    Unused bits of the last byte are 0.
    """
    import numpy as np

    flat = array.reshape(-1).view(np.uint8) & ((1 << bits) - 1)
    table = np.zeros((-(-flat.size * bits // 8), 8 // bits), np.uint8)
    table.reshape(-1)[: flat.size] = flat
    made: NDArray[np.uint8] = np.bitwise_or.reduce(table << _shifts(bits), axis=1, dtype=np.uint8)
    return made


def unpacked(raw: NDArray[np.uint8], bits: int, size: int) -> NDArray[np.uint8]:
    """The first `size` elements of `packed`, each in a byte of its own."""
    import numpy as np

    elements = (raw[:, np.newaxis] >> _shifts(bits)) & np.uint8((1 << bits) - 1)
    return elements.reshape(-1)[:size]


def _shifts(bits: int) -> NDArray[np.uint8]:
    """The bit offsets of the elements in a byte, in order."""
    import numpy as np

    return np.arange(0, 8, bits, dtype=np.uint8)


def has_unread(runs: Iterable[Iterable[Tensor]]) -> bool:
    """Whether the elements of an output are not known, since the answer was too large."""
    return any(tensor.is_unread for run in runs for tensor in run)


def outputs_digest(runs: Sequence[Sequence[Tensor]]) -> str:
    """SHA-256 over dtype, shape and meaningful bits of every output of every run, in order."""
    total = hashlib.sha256()
    for run in runs:
        total.update(b"run\0")
        for tensor in run:
            total.update(f"{tensor.dtype}{list(tensor.shape)}\0".encode())
            total.update(mask_unused_bits(tensor))
    return total.hexdigest()


def _utf8(item: object) -> bytes:
    if isinstance(item, bytes):
        return item
    if not isinstance(item, str):
        raise TypeError(f"an array of objects holds {type(item).__name__!r}, not only text")
    return item.encode("utf-8", "surrogateescape")
