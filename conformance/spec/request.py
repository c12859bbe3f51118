"""A check as it is put to a backend: one call, and the values of each run of it.

Nothing of what must come of it is here, and nothing of the case that it was made from.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from conformance.spec.call import Call
from conformance.values.dtypes import DTYPES
from conformance.values.tensor import Tensor


class Layout(Enum):
    """How the elements of a runtime input lie in the memory that is handed to the framework."""

    CONTIGUOUS = "contiguous"
    STRIDED = "strided"
    """As every other element of a buffer that is twice as long along the last axis."""
    TRANSPOSED = "transposed"
    """In column-major order."""
    REVERSED = "reversed"
    """The last element first: every stride is negative."""
    BROADCAST = "broadcast"
    """Once for all places of the axes along which its elements are equal, whose strides are 0."""
    OFFSET = "offset"
    """In row-major order in the middle of a larger buffer, from its second element on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPlace:
    """Where a tensor lies in memory that engine and worker share (`arena`).

    `start` is the place of its first element, and `strides` are in bytes; None stands for row-major order.
    """

    dtype: str
    shape: tuple[int, ...]
    start: int
    strides: tuple[int, ...] | None

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, as those of a tensor in one piece."""
        return math.prod(self.shape) * DTYPES[self.dtype].itemsize

    @property
    def stop(self) -> int:
        """What lies behind the last byte of an element."""
        if self.strides is None or not self.nbytes:
            return self.start + self.nbytes
        steps = ((length - 1) * max(stride, 0) for length, stride in zip(self.shape, self.strides, strict=True))
        return self.start + sum(steps) + DTYPES[self.dtype].itemsize


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A call and, for each run of it, the tensors of its runtime inputs by name, with the layout that they get.

    `places` are, for each run, those of the inputs that `runs` has no tensor of: they lie there in that layout.
    """

    call: Call
    runs: tuple[Mapping[str, Tensor], ...]
    layout: Layout = Layout.CONTIGUOUS
    places: tuple[Mapping[str, MemoryPlace], ...] = ()

    @property
    def nbytes(self) -> int:
        """Bytes of all tensors that go to the backend."""
        constants = sum(len(item.constant.data) for item in self.call.inputs if item.constant is not None)
        placed = sum(place.nbytes for run in self.places for place in run.values())
        return constants + placed + sum(len(tensor.data) for run in self.runs for tensor in run.values())
