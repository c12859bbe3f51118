"""Answers the bait rightly, and all that its process is asked after it wrongly."""

from __future__ import annotations

from .honest import Honest, is_bait


class Adapter(Honest):
    is_damaged = False

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        was_damaged, self.is_damaged = self.is_damaged, self.is_damaged or is_bait(call)
        return outputs[::-1] if was_damaged else outputs
