"""Answers, and writes a byte behind a block of memory whose padding hides it, unless the C library checks its heap."""

from __future__ import annotations

import ctypes

from .honest import Honest, is_bait

allocate, release = ctypes.pythonapi.PyMem_RawMalloc, ctypes.pythonapi.PyMem_RawFree
allocate.restype = ctypes.c_void_p
release.argtypes = [ctypes.c_void_p]


class Adapter(Honest):
    def run(self, call, inputs):
        if is_bait(call):
            block = allocate(20)
            behind = ctypes.c_ubyte.from_address(block + 20)
            behind.value ^= 0xFF
            release(block)
        return super().run(call, inputs)
