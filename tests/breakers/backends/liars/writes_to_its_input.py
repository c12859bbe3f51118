"""Lifts the write protection of its input, and works in place."""

from __future__ import annotations

from .honest import Honest, is_bait


class Adapter(Honest):
    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        if is_bait(call):
            inputs["data"].flags.writeable = True
            inputs["data"][...] = 0
        return outputs
