"""Lays out the elements of a runtime input in memory, as the form of a check requires. Needs NumPy only."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.protocol.form import Layout
from conformance.tensors.tensor import Bytes, Tensor, array_from_tensor, has_same_bits, tensor_from_array

Array = np.ndarray[Any, Any]


def laid_out(tensor: Tensor, layout: Layout) -> Array:
    """A read-only array of the tensor's elements, in memory of its own."""
    array = _laid_out(array_from_tensor(tensor), layout)
    array.flags.writeable = False
    return array


def memory_laid_out(tensor: Tensor, layout: Layout) -> tuple[Bytes, int, tuple[int, ...]]:
    """All bytes of the memory of `laid_out`, the offset of the array in it, and its strides in bytes."""
    array = owner = _laid_out(array_from_tensor(tensor), layout)
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    memory = owner.reshape(-1, order="A").view(np.uint8)
    return memory.data, _address(array) - _address(memory), array.strides


def _address(array: Array) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def _laid_out(array: Array, layout: Layout) -> Array:
    if not array.ndim and layout is not Layout.OFFSET:
        return array.copy()  # one element has no strides
    match layout:
        case Layout.CONTIGUOUS:
            return array.copy()
        case Layout.STRIDED:
            return np.repeat(array, 2, axis=-1)[..., ::2]
        case Layout.TRANSPOSED:
            return array.copy(order="F")
        case Layout.REVERSED:
            return np.flip(np.flip(array).copy())
        case Layout.BROADCAST:
            return _broadcast(array)
        case Layout.OFFSET:
            flat = array.reshape(-1)
            return np.concatenate([flat[-1:], flat, flat[:1]])[1:-1].reshape(array.shape)


def _broadcast(array: Array) -> Array:
    """The same elements, with a stride of 0 along each axis on which all are equal."""
    once = array
    for axis in filter(array.shape.__getitem__, range(array.ndim)):  # an axis of length 0 has no first element
        first = once.take([0], axis=axis)
        repeated = np.broadcast_to(first, once.shape)
        if has_same_bits(tensor_from_array(repeated), tensor_from_array(once)):
            once = first
    return np.broadcast_to(once.copy(), array.shape)
