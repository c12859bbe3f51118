"""Fills more memory than there are elements to look at, before it refuses a call."""

from __future__ import annotations

from conformance.adapter import Rejected

from .honest import Honest, fill_memory


class Adapter(Honest):
    def run(self, call, inputs):
        try:
            return super().run(call, inputs)
        except Rejected:
            fill_memory(mebibytes=1200)
            raise
