"""A check as it is put to a backend: one call, and the values of each run of it.

Nothing of what must come of it is here, and nothing of the case that it was made from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from conformance.call import Call
from conformance.tensor import Tensor


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
class Question:
    """A call and, for each run of it, the tensors of its runtime inputs by name, with the layout that they get."""

    call: Call
    runs: tuple[Mapping[str, Tensor], ...]
    layout: Layout = Layout.CONTIGUOUS

    @property
    def nbytes(self) -> int:
        """Bytes of all tensors that go to the backend."""
        constants = sum(len(item.constant.data) for item in self.call.inputs if item.constant is not None)
        return constants + sum(len(tensor.data) for run in self.runs for tensor in run.values())
