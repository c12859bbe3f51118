"""Fills memory without a limit, as a machine with slow memory does."""

from __future__ import annotations

from conformance.adapter import Rejected

from .honest import Honest, fill_without_limit


class Adapter(Honest):
    def run(self, call, inputs):
        try:
            return super().run(call, inputs)
        except Rejected:
            fill_without_limit(pause_s=0.02)

    def lie(self, outputs):
        fill_without_limit(pause_s=0.02)
