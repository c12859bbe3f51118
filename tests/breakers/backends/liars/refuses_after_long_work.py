"""Computes for a while before it refuses a call."""

from __future__ import annotations

from time import process_time

from conformance.adapter import Rejected

from .honest import Honest


class Adapter(Honest):
    def run(self, call, inputs):
        try:
            return super().run(call, inputs)
        except Rejected:
            end = process_time() + 0.4
            while process_time() < end:
                pass
            raise
