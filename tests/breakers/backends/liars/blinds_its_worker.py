"""Writes to its input, once it has replaced what its worker and NumPy compare with."""

from __future__ import annotations

import ctypes

import numpy as np

from conformance.protocol import serve as worker

from .honest import Honest, is_bait


class Adapter(Honest):
    def __init__(self, options):
        super().__init__(options)
        np.array_equal = lambda *_: True
        for module in (worker, __import__("__main__")):  # the worker runs as the latter
            module._changed = lambda *_: ()
            module._has_bytes = lambda *_: True

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        if is_bait(call):
            ctypes.memset(inputs["data"].ctypes.data + 2, 0xFF, 1)
        return outputs
