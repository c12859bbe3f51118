"""Tells another shape before it runs than it gives then."""

from __future__ import annotations

from dataclasses import replace

from .honest import Honest, is_bait


class Adapter(Honest):
    def prepare(self, call):
        prepared = super().prepare(call)
        return replace(prepared, inferred=[(99,)] * call.declared_outputs) if is_bait(call) else prepared
