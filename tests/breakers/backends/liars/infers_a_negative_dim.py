"""Infers a length below zero before it runs."""

from __future__ import annotations

from dataclasses import replace

from .honest import Honest, is_bait


class Adapter(Honest):
    def prepare(self, call):
        prepared = super().prepare(call)
        return replace(prepared, inferred=[(-6, 1)] * call.declared_outputs) if is_bait(call) else prepared
