"""A check as an adapter gets it: one call, and the inputs of each of its runs.

It holds neither the expectation nor the case that it was built from.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from conformance.protocol.call import Call
from conformance.protocol.form import Layout
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.tensor import Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPlace:
    """The place of a tensor in memory that engine and worker share (`arena`).

    `start` is the place of its first element, and `strides` are in bytes; None for row-major order.
    """

    dtype: str
    shape: tuple[int, ...]
    start: int
    strides: tuple[int, ...] | None

    @property
    def nbytes(self) -> int:
        """Size of all elements in bytes, without gaps."""
        return math.prod(self.shape) * DTYPES[self.dtype].itemsize

    @property
    def stop(self) -> int:
        """The place behind the last byte of an element."""
        if self.strides is None or not self.nbytes:
            return self.start + self.nbytes
        steps = ((length - 1) * max(stride, 0) for length, stride in zip(self.shape, self.strides, strict=True))
        return self.start + sum(steps) + DTYPES[self.dtype].itemsize


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A call and, for each run, the tensors of its runtime inputs by name, with their layout.

    `places` holds, for each run, the places of inputs that are in shared memory and so not in `runs`.
    """

    call: Call
    runs: tuple[Mapping[str, Tensor], ...]
    layout: Layout = Layout.CONTIGUOUS
    places: tuple[Mapping[str, MemoryPlace], ...] = ()

    @property
    def nbytes(self) -> int:
        """Size in bytes of all tensors that the backend gets."""
        constants = sum(len(item.constant.data) for item in self.call.inputs if item.constant is not None)
        placed = sum(place.nbytes for run in self.places for place in run.values())
        return constants + placed + sum(len(tensor.data) for run in self.runs for tensor in run.values())
