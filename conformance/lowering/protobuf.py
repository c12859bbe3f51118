"""The wire format of Protocol Buffers, as far as an ONNX model needs it.

Knows wire types and no messages. The parent process encodes a model for every check, so it avoids the protobuf package
and the time to build its objects. The format: https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import cache, lru_cache

from conformance.values.tensor import Bytes

_VARINT, _LENGTH_DELIMITED, _FIXED_32 = 0, 2, 5
_CONTINUES = 0x80
_ONE_BYTE = tuple(bytes((value,)) for value in range(_CONTINUES))
_64_BITS = (1 << 64) - 1


def varint(value: int) -> bytes:
    """An integer in groups of seven bits, lowest first; a negative one as 64 bits of two's complement."""
    if 0 <= value < _CONTINUES:
        return _ONE_BYTE[value]
    value &= _64_BITS
    groups = bytearray()
    while value >= _CONTINUES:
        groups.append(value & 0x7F | _CONTINUES)
        value >>= 7
    groups.append(value)
    return bytes(groups)


def integer(field: int, value: int) -> bytes:
    """A field of type int32, int64 or enum."""
    return _tag(field, _VARINT) + varint(value)


def integers(field: int, values: Iterable[int]) -> bytes:
    """A repeated integer field, unpacked as in proto2."""
    tag = _tag(field, _VARINT)
    return b"".join([tag + varint(value) for value in values])


def floating_point(field: int, value: float) -> bytes:
    """A field of type float.

    Raises:
        OverflowError: the value is finite and beyond 32 bits.
    """
    return _tag(field, _FIXED_32) + struct.pack("<f", value)


def message(field: int, data: Bytes) -> bytes:
    """A field of type bytes, or a message that is already encoded."""
    return b"".join((_tag(field, _LENGTH_DELIMITED), varint(len(data)), data))


@lru_cache(maxsize=4096)
def text(field: int, value: str) -> bytes:
    """A field of type string, in UTF-8."""
    return message(field, value.encode())


@cache
def _tag(field: int, wire_type: int) -> bytes:
    return varint(field << 3 | wire_type)
