"""Writes behind the last element of its input, as a loop that makes one step too many."""

from __future__ import annotations

import ctypes

from .honest import Honest, is_bait


class Adapter(Honest):
    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        if is_bait(call):
            data = inputs["data"]
            ctypes.memset(data.ctypes.data + data.nbytes, 0xFF, 1)
        return outputs
