"""Answers a call that the spec forbids."""

from __future__ import annotations

from conformance.adapter import Rejected

from .honest import Honest


class Adapter(Honest):
    def run(self, call, inputs):
        try:
            return super().run(call, inputs)
        except Rejected:
            return list(inputs.values())
