"""The worker's side of the arena: arrays over the inputs that the engine placed there. Needs NumPy only."""

from __future__ import annotations

import os
from collections.abc import Mapping
from mmap import mmap
from typing import Any

import numpy as np

from conformance.border.request import MemoryPlace, Request
from conformance.values.tensor import numpy_dtype

Inputs = tuple[Mapping[str, np.ndarray[Any, Any]], ...]
"""The arrays of the inputs by name, for each run."""


class ArenaMap:
    """Maps the arena at a path. Forks inherit the mapping.

    Raises:
        OSError: the file cannot be opened.
    """

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_RDWR)  # until the process ends
        self._memory: mmap | None = None

    def inputs(self, request: Request) -> Inputs:
        """Read-only arrays of the placed inputs. The engine sees what a framework writes to them."""
        return tuple({name: self._array(place) for name, place in run.items()} for run in request.places)

    def _array(self, place: MemoryPlace) -> np.ndarray[Any, Any]:
        if self._memory is None or place.stop > len(self._memory):
            self._memory = mmap(self._file, 0)  # arrays keep the previous mapping alive
        array: np.ndarray[Any, Any] = np.ndarray(
            place.shape, numpy_dtype(place.dtype), self._memory, place.start, place.strides
        )
        array.flags.writeable = False
        return array
