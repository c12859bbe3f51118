"""Works in place."""

from __future__ import annotations

from .honest import Honest, is_bait


class Adapter(Honest):
    def run(self, call, inputs):
        if is_bait(call):
            inputs["data"][...] = 0
        return super().run(call, inputs)
