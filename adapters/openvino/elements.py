"""The suite's element types in OpenVINO, and tensors in both directions, bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.adapter import NotExpressible, Tensor
from conformance.tensors.dtypes import DTYPES, Category
from conformance.tensors.tensor import numpy_dtype, pack_strings

from .layout import guard_behind, is_packed, is_view_of_rows, packed, unpacked
from .releases import TYPES, VERSION, copies_in_order, ov


@dataclass(frozen=True, slots=True)
class _Storage:
    """How OpenVINO stores a type of the suite. `view` is the dtype to view arrays with; None if the binding's fits."""

    name: str
    bits: int
    is_string: bool
    view: np.dtype[Any] | None


def _storage(name: str) -> _Storage:
    kind = DTYPES[name]
    # The binding returns these as float16 or uint8.
    view = numpy_dtype(name) if kind.category is Category.FLOAT and not hasattr(np, name) else None
    return _Storage(name, kind.bits, kind.category is Category.STRING, view)


STORAGE: dict[ov.Type, _Storage] = {element: _storage(name) for name, element in TYPES.items()}


def tensor_from_array(array: NDArray[Any], element: ov.Type) -> ov.Tensor:
    """A tensor over the array's memory, or over a copy if OpenVINO lays the elements out differently.

    Raises:
        NotExpressible: a string ends in NUL, which the Python binding drops; or neither OpenVINO nor its binding has a
            tensor for this memory layout.
    """
    storage = STORAGE[element]
    if not array.flags.c_contiguous:
        return _tensor_in_pieces(array, element)
    if storage.is_string:
        return _string_tensor(array)
    raw = packed(array, storage.bits) if storage.bits < 8 else _bytes_of(array)
    return _tensor_over(raw, array.shape, element)


def _tensor_over(raw: NDArray[np.uint8], shape: Sequence[int], element: ov.Type) -> ov.Tensor:
    """A tensor over bytes; over none if there are none, since the binding of older releases reads the first one."""
    return ov.Tensor(raw, list(shape), element) if raw.size else ov.Tensor(element, list(shape))


def _tensor_in_pieces(array: NDArray[Any], element: ov.Type) -> ov.Tensor:
    """A tensor of a non-contiguous array: a view, if it is rows of a longer buffer; otherwise the binding's copy."""
    storage = STORAGE[element]
    if is_packed(storage.name):
        raise NotExpressible(f"OpenVINO knows no strides of {storage.name}, which it packs")
    if is_view_of_rows(array):
        longer = np.concatenate([array, array[..., ::-1]], axis=-1)
        return ov.Tensor(_tensor_with_own_memory(longer, element), [0] * array.ndim, list(array.shape))
    if storage.is_string or storage.view is not None:
        raise NotExpressible(f"OpenVINO's Python binding takes no array of {storage.name} in pieces, save rows of one")
    if not copies_in_order(array.dtype):
        raise NotExpressible(f"OpenVINO {VERSION}'s Python binding copies {storage.name} in pieces in another order")
    return ov.Tensor(array)


def _tensor_with_own_memory(array: NDArray[Any], element: ov.Type) -> ov.Tensor:
    """A tensor for a view to refer to: the view keeps a tensor's own memory alive, but not an array under it."""
    if STORAGE[element].is_string:
        return _string_tensor(array)
    tensor = ov.Tensor(element, list(array.shape))
    tensor.data.reshape(-1).view(np.uint8)[:] = _bytes_of(array)
    return tensor


def guarded_tensor(array: NDArray[Any], element: ov.Type) -> ov.Tensor | None:
    """A tensor over packed elements with a guard behind them; None for types of whole bytes, which need none."""
    storage = STORAGE[element]
    if not is_packed(storage.name):
        return None
    raw = packed(array, storage.bits)
    guarded = np.concatenate([raw, np.frombuffer(guard_behind(array.size), np.uint8)])
    return _tensor_over(guarded[: raw.size], array.shape, element)


def array_from_output(tensor: ov.Tensor) -> NDArray[Any] | Tensor:
    """A copy of the tensor's elements: the next run writes to its memory."""
    storage, shape = STORAGE[tensor.element_type], _signed(tensor.shape)
    if min(shape, default=0) < 0:
        return Tensor(storage.name, shape, b"")
    if storage.is_string:
        # Without strings, the binding would divide by zero; if all are empty, its bytes are those of freed memory.
        has_characters = tensor.size and any(tensor.str_data.flat)
        items = tensor.bytes_data.reshape(-1).tolist() if has_characters else [b""] * tensor.size
        return pack_strings(items, shape)
    if storage.bits < 8:
        return _unpacked(tensor, storage)
    data: NDArray[Any] = tensor.data.copy()
    return data if storage.view is None else data.view(storage.view)


def _signed(shape: ov.Shape) -> tuple[int, ...]:
    """The dims as signed integers: OpenVINO keeps a negative dim of an answer in 64 bits without a sign."""
    return tuple(dim - (dim >> 63 << 64) for dim in shape)


def _unpacked(tensor: ov.Tensor, storage: _Storage) -> Tensor:
    raw = tensor.data.reshape(-1).view(np.uint8)
    return Tensor(storage.name, tuple(tensor.shape), unpacked(raw, storage.bits, tensor.size).tobytes())


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
