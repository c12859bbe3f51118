"""Writes to its input behind NumPy's back, as a framework in C++ may."""

from __future__ import annotations

import ctypes

from .honest import Honest, is_bait


class Adapter(Honest):
    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        if is_bait(call):
            ctypes.memset(inputs["data"].ctypes.data + 2, 0xFF, 1)
        return outputs
