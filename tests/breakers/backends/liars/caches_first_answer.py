"""Gives the answer of the first run again."""

from __future__ import annotations

from conformance.adapter import Prepared

from .honest import Honest, is_bait


class Adapter(Honest):
    def prepare(self, call):
        answers = []

        def run(inputs):
            answers.append(self.run(call, inputs))
            return answers[0] if is_bait(call) else answers[-1]

        return Prepared(run=run)
