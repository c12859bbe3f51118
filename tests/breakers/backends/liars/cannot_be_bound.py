"""Answers, and raises an error when it is to be timed."""

from __future__ import annotations

from dataclasses import replace

from .honest import Honest, is_bait


class Adapter(Honest):
    def prepare(self, call):
        prepared = super().prepare(call)
        return replace(prepared, bind=self.bind) if is_bait(call) else prepared

    def bind(self, inputs):
        raise RuntimeError("not now")
