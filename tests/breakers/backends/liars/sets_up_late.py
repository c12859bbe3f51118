"""Sets much up when it refuses for the first time: what costs that once is no cost of a refusal."""

from __future__ import annotations

from conformance.adapter import Rejected

from .honest import Honest, fill_memory


class Adapter(Honest):
    is_set_up = False

    def run(self, call, inputs):
        try:
            return super().run(call, inputs)
        except Rejected:
            if not self.is_set_up:
                fill_memory(mebibytes=1200)
            self.is_set_up = True
            raise
