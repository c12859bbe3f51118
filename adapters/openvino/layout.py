"""The suite's element types under OpenVINO's names, and how their elements lie in memory. Imports no framework, so that
IR and scripts can be written without it.

OpenVINO keeps elements of less than 8 bits packed, the first in the lowest bits, save those of `u1`, whose first is in
the highest bit, and those of `u3` and `u6`. Of these, eight or four lie in three bytes: their low two or four bits in
the first two bytes, their high bits in the third, each time the first element in the highest bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.adapter import Call, NotExpressible
from conformance.values import tensor
from conformance.values.dtypes import DTYPES

TYPE_NAMES = {
    "bool": "boolean",
    "int4": "i4",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint1": "u1",
    "uint2": "u2",
    "uint4": "u4",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "bfloat16": "bf16",
    "float8_e4m3fn": "f8e4m3",
    "float8_e5m2": "f8e5m2",
    "float8_e8m0fnu": "f8e8m0",
    "float4_e2m1fn": "f4e2m1",
    "string": "string",
    "nf4": "nf4",
    "uint3": "u3",
    "uint6": "u6",
}
"""As in IR, and as attributes of `openvino.Type`."""


GUARD_BYTE, GUARD_BYTES = b"\x80", 64


def type_name(dtype: str) -> str:
    """OpenVINO's name of a type of the suite.

    Raises:
        NotExpressible: it has none.
    """
    if dtype not in TYPE_NAMES:
        raise NotExpressible(f"OpenVINO has no element type for {dtype}")
    return TYPE_NAMES[dtype]


def demand_counted_lengths(call: Call) -> None:
    """VariadicSplit takes the number of its outputs from that of the lengths, which its model has to know.

    Raises:
        NotExpressible: it does not, and the node has no outputs.
    """
    lengths = call.input("split_lengths")
    if lengths is not None and lengths.dims in ((None,), None):
        raise NotExpressible("a node has no outputs where the model does not know how many lengths there are")


_GROUP_BITS = 24


def is_packed(dtype: str) -> bool:
    """Whether several elements of the type lie in one byte."""
    return 0 < DTYPES[dtype].bits < 8


def is_grouped(bits: int) -> bool:
    """Whether elements of that many bits lie in groups of three bytes."""
    return bits in (3, 6)


def guard_behind(size: int) -> bytes:
    """What is put behind a constant of so many packed elements: as many bytes, and some at least.

    OpenVINO reads a byte for each element, and would find there what other calls left, which makes another answer each
    time, or nothing at all, which ends the process. As lengths these bytes are far below -1.
    """
    return GUARD_BYTE * max(size, GUARD_BYTES)


def is_view_of_rows(array: NDArray[Any]) -> bool:
    """Whether `openvino.Tensor(tensor, begin, end)` can stand for an array that does not lie in one piece: its strides
    are those of rows in a longer buffer, and it has several.
    """
    return min(array.strides) > 0 and not array.flags.f_contiguous and array.size > array.shape[-1]


def packed(array: NDArray[Any], bits: int) -> NDArray[np.uint8]:
    """The low `bits` of each byte, several elements to a byte, or to three; unused bits of the last are 0."""
    if is_grouped(bits):
        return _grouped(array.reshape(-1).view(np.uint8), bits)
    if bits == 1:
        return np.packbits(array.reshape(-1).view(np.uint8) & 1)
    return tensor.packed(array, bits)


def unpacked(raw: NDArray[np.uint8], bits: int, size: int) -> NDArray[np.uint8]:
    """The first `size` elements of what `packed` makes, each in a byte of its own."""
    if is_grouped(bits):
        return _ungrouped(raw, bits)[:size]
    return np.unpackbits(raw)[:size] if bits == 1 else tensor.unpacked(raw, bits, size)


def _grouped(elements: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    """Elements in groups of three bytes, the last one filled up with zeros."""
    count, high = _GROUP_BITS // bits, bits // 3
    padded = np.pad(elements, (0, -elements.size % count))
    singly = np.unpackbits(padded).reshape(-1, count, 8)[..., 8 - bits :]  # the highest bit first
    groups = np.empty((len(singly), _GROUP_BITS), np.uint8)
    groups[:, :16] = singly[..., high:].reshape(-1, 16)
    groups[:, 16:] = singly[..., :high].reshape(-1, 8)
    return np.packbits(groups)


def _ungrouped(raw: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    """The elements of groups of three bytes, each in a byte of its own."""
    count, high = _GROUP_BITS // bits, bits // 3
    groups = np.unpackbits(raw).reshape(-1, _GROUP_BITS)
    singly = np.zeros((len(groups), count, 8), np.uint8)
    singly[..., 8 - bits + high :] = groups[:, :16].reshape(-1, count, bits - high)
    singly[..., 8 - bits : 8 - bits + high] = groups[:, 16:].reshape(-1, count, high)
    return np.packbits(singly)
