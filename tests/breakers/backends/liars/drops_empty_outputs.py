"""Returns only the outputs that hold something."""

from __future__ import annotations

from .honest import Honest


class Adapter(Honest):
    def run(self, call, inputs):
        return [output for output in super().run(call, inputs) if output.size]
