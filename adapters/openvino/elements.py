"""The suite's element types in OpenVINO, and tensors in both directions, bit for bit.

Owns the packing: OpenVINO keeps elements of less than 8 bits packed, the first in the lowest bits, save those of `u1`,
whose first is in the highest bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray

from conformance.adapter import Call, Input, NotExpressible, Tensor
from conformance.dtypes import DTYPES, Kind
from conformance.tensor import numpy_dtype, pack_strings

TYPES: dict[str, ov.Type] = {
    "bool": ov.Type.boolean,
    "int4": ov.Type.i4,
    "int8": ov.Type.i8,
    "int16": ov.Type.i16,
    "int32": ov.Type.i32,
    "int64": ov.Type.i64,
    "uint1": ov.Type.u1,
    "uint2": ov.Type.u2,
    "uint4": ov.Type.u4,
    "uint8": ov.Type.u8,
    "uint16": ov.Type.u16,
    "uint32": ov.Type.u32,
    "uint64": ov.Type.u64,
    "float16": ov.Type.f16,
    "float32": ov.Type.f32,
    "float64": ov.Type.f64,
    "bfloat16": ov.Type.bf16,
    "float8_e4m3fn": ov.Type.f8e4m3,
    "float8_e5m2": ov.Type.f8e5m2,
    "float8_e8m0fnu": ov.Type.f8e8m0,
    "float4_e2m1fn": ov.Type.f4e2m1,
    "string": ov.Type.string,
}


GUARD = b"\x80" * 64
"""Lies behind constants of packed types: OpenVINO reads beyond them, and would find what other calls left there, which
makes another answer each time. As lengths these bytes are far below -1."""


@dataclass(frozen=True, slots=True)
class _Storage:
    """How OpenVINO holds a type of the suite; `view` is the dtype to read its bytes with, None as they are read."""

    name: str
    bits: int
    is_string: bool
    view: np.dtype[Any] | None


def _storage(name: str) -> _Storage:
    kind = DTYPES[name]
    # The binding reads these as float16 or uint8.
    view = numpy_dtype(name) if kind.kind is Kind.FLOAT and not hasattr(np, name) else None
    return _Storage(name, kind.bits, kind.kind is Kind.STRING, view)


STORAGE: dict[ov.Type, _Storage] = {element: _storage(name) for name, element in TYPES.items()}


def type_of(dtype: str) -> ov.Type:
    """OpenVINO's element type for a type of the suite.

    Raises:
        NotExpressible: it has none.
    """
    if dtype not in TYPES:
        raise NotExpressible(f"OpenVINO has no element type for {dtype}")
    return TYPES[dtype]


def known_dims(item: Input, call: Call) -> tuple[int | None, ...]:
    """The dims that the model may know, and the one that it must: how many lengths there are.

    OpenVINO takes the number of outputs of VariadicSplit from nothing else; without it the node has none.
    """
    if item.name == "split_lengths" and item.dims == (None,):
        return (call.declared_outputs,)
    return item.dims


def tensor_from_array(array: NDArray[Any], element: ov.Type) -> ov.Tensor:
    """A tensor over the array's memory, or over a copy where OpenVINO lays the elements out otherwise.

    Raises:
        NotExpressible: a string ends in NUL, which the Python binding drops.
    """
    storage = STORAGE[element]
    if storage.is_string:
        return _string_tensor(array)
    raw = packed(array, storage.bits) if storage.bits < 8 else _bytes_of(array)
    return ov.Tensor(raw, list(array.shape), element)


def guarded_tensor(array: NDArray[Any], element: ov.Type) -> ov.Tensor | None:
    """A tensor over packed elements with `GUARD` behind them; None for types of whole bytes, which need none."""
    storage = STORAGE[element]
    if storage.is_string or storage.bits >= 8:
        return None
    raw = packed(array, storage.bits)
    guarded = np.concatenate([raw, np.frombuffer(GUARD, np.uint8)])
    return ov.Tensor(guarded[: raw.size], list(array.shape), element)


def packed(array: NDArray[Any], bits: int) -> NDArray[np.uint8]:
    """The low `bits` of each byte, several elements to a byte; unused bits of the last byte are 0."""
    per_byte = 8 // bits
    flat = array.reshape(-1).view(np.uint8) & ((1 << bits) - 1)
    table = np.zeros((-(-flat.size // per_byte), per_byte), np.uint8)
    table.reshape(-1)[: flat.size] = flat
    result: NDArray[np.uint8] = np.bitwise_or.reduce(table << _shifts(bits), axis=1, dtype=np.uint8)
    return result


def array_from_output(tensor: ov.Tensor) -> NDArray[Any] | Tensor:
    """A copy of what the tensor holds: the next run writes to its memory."""
    storage = STORAGE[tensor.element_type]
    if storage.is_string:
        # The binding divides by zero when it is asked for no strings.
        items = tensor.bytes_data.reshape(-1).tolist() if tensor.size else []
        return pack_strings(items, tuple(tensor.shape))
    if storage.bits < 8:
        return _unpacked(tensor, storage)
    data: NDArray[Any] = tensor.data.copy()
    return data if storage.view is None else data.view(storage.view)


def _unpacked(tensor: ov.Tensor, storage: _Storage) -> Tensor:
    raw = tensor.data.reshape(-1).view(np.uint8)
    elements = (raw[:, np.newaxis] >> _shifts(storage.bits)) & ((1 << storage.bits) - 1)
    return Tensor(storage.name, tuple(tensor.shape), elements.reshape(-1)[: tensor.size].tobytes())


def _shifts(bits: int) -> NDArray[np.uint8]:
    """How far the elements of one byte stand from its lowest bit, in order."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return shifts[::-1] if bits == 1 else shifts


def _bytes_of(array: NDArray[Any]) -> NDArray[np.uint8]:
    if not (array.flags.c_contiguous and array.flags.aligned):
        array = array.copy(order="C")
    return array.reshape(-1).view(np.uint8)


def _string_tensor(array: NDArray[Any]) -> ov.Tensor:
    items = [item.encode("utf-8", "surrogateescape") for item in array.reshape(-1).tolist()]
    if any(item.endswith(b"\0") for item in items):
        raise NotExpressible("OpenVINO's Python binding drops the NULs at the end of a string")
    if not items:
        return ov.Tensor(ov.Type.string, list(array.shape))
    tensor = ov.Tensor(items)
    tensor.shape = list(array.shape)
    return tensor
