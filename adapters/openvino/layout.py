"""The suite's element types under OpenVINO's names, and how their elements lie in memory. Imports no framework, so that
IR and scripts can be written without it.

OpenVINO packs elements of less than 8 bits, the first one in the lowest bits, with exceptions. Of `u1`, the first
element is in the highest bit. Of `u3` and `u6`, eight or four elements lie in three bytes: their low two or four bits
in the first two bytes, their high bits in the third, each time with the first element in the highest bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.adapter import Call, NotExpressible
from conformance.tensors import tensor
from conformance.tensors.dtypes import DTYPES

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
"""Names in IR, and of the attributes of `openvino.Type`."""


GUARD_BYTE, GUARD_BYTES = b"\x80", 64


def type_name(dtype: str) -> str:
    """OpenVINO's name for a type of the suite.

    Raises:
        NotExpressible: it has none.
    """
    if dtype not in TYPE_NAMES:
        raise NotExpressible(f"OpenVINO has no element type for {dtype}")
    return TYPE_NAMES[dtype]


def require_counted_lengths(call: Call) -> None:
    """Refuse a VariadicSplit with an unknown number of lengths: its outputs are as many as its lengths.

    Raises:
        NotExpressible: the model does not know the number of lengths, so the node has no outputs.
    """
    lengths = call.input("split_lengths")
    if lengths is not None and lengths.dims in ((None,), None):
        raise NotExpressible("a node has no outputs where the model does not know how many lengths there are")


def require_inputs_without_gap(call: Call) -> None:
    """Refuse a call that leaves out an input in front of another, once the framework has accepted it.

    Raises:
        NotExpressible: OpenVINO takes inputs by position, so that others stood in the place of the missing one.
    """
    if None in call.placed_inputs:
        raise NotExpressible("OpenVINO's operators take inputs by position, and one in front of others is missing")


_GROUP_BITS = 24


def is_packed(dtype: str) -> bool:
    """Whether several elements of the type lie in one byte."""
    return 0 < DTYPES[dtype].bits < 8


def is_grouped(bits: int) -> bool:
    """Whether elements of that many bits lie in groups of three bytes."""
    return bits in (3, 6)


def guard_behind(size: int) -> bytes:
    """The bytes to put behind a constant of `size` packed elements: one per element, at least `GUARD_BYTES`.

    OpenVINO reads a byte for each element, so it reads beyond packed ones. Without a guard it would read what other
    calls left there, with another answer each time, or unmapped memory, which ends the process. As lengths, the guard
    bytes are far below -1.
    """
    return GUARD_BYTE * max(size, GUARD_BYTES)


def is_view_of_rows(array: NDArray[Any]) -> bool:
    """Whether `openvino.Tensor(tensor, begin, end)` can represent a non-contiguous array: it has several rows, with the
    strides of rows in a longer buffer.
    """
    return min(array.strides) > 0 and not array.flags.f_contiguous and array.size > array.shape[-1]


def packed(array: NDArray[Any], bits: int) -> NDArray[np.uint8]:
    """The low `bits` of each byte, packed several to a byte or to three bytes; unused bits of the last are 0."""
    if is_grouped(bits):
        return _grouped(array.reshape(-1).view(np.uint8), bits)
    if bits == 1:
        return np.packbits(array.reshape(-1).view(np.uint8) & 1)
    return tensor.packed(array, bits)


def unpacked(raw: NDArray[np.uint8], bits: int, size: int) -> NDArray[np.uint8]:
    """The reverse of `packed`: the first `size` elements, each in its own byte."""
    if is_grouped(bits):
        return _ungrouped(raw, bits)[:size]
    return np.unpackbits(raw)[:size] if bits == 1 else tensor.unpacked(raw, bits, size)


def _grouped(elements: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    """Elements in groups of three bytes; the last group is padded with zeros."""
    count, high = _GROUP_BITS // bits, bits // 3
    padded = np.pad(elements, (0, -elements.size % count))
    singly = np.unpackbits(padded).reshape(-1, count, 8)[..., 8 - bits :]  # the highest bit first
    groups = np.empty((len(singly), _GROUP_BITS), np.uint8)
    groups[:, :16] = singly[..., high:].reshape(-1, 16)
    groups[:, 16:] = singly[..., :high].reshape(-1, 8)
    return np.packbits(groups)


def _ungrouped(raw: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    """The elements of groups of three bytes, each in its own byte."""
    count, high = _GROUP_BITS // bits, bits // 3
    groups = np.unpackbits(raw).reshape(-1, _GROUP_BITS)
    singly = np.zeros((len(groups), count, 8), np.uint8)
    singly[..., 8 - bits + high :] = groups[:, :16].reshape(-1, count, bits - high)
    singly[..., 8 - bits : 8 - bits + high] = groups[:, 16:].reshape(-1, count, high)
    return np.packbits(singly)
