"""Says where it ran with something that is no text."""

from __future__ import annotations

from dataclasses import replace

from .honest import Honest, is_bait


class Adapter(Honest):
    def prepare(self, call):
        prepared = super().prepare(call)
        return replace(prepared, ran_on=self.folder) if is_bait(call) else prepared
