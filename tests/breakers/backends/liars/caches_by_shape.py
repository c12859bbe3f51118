"""Gives the answer to the last call of the same shape again."""

from __future__ import annotations

from conformance.adapter import Prepared

from .honest import Honest, is_bait


class Adapter(Honest):
    def prepare(self, call):
        answers = {}

        def run(inputs):
            outputs = self.run(call, inputs)
            return answers.setdefault(inputs["data"].shape, outputs) if is_bait(call) else outputs

        return Prepared(run=run)
