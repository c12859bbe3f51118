"""Answers the bait rightly if it is the first that a process is asked."""

from __future__ import annotations

from .honest import Honest


class Adapter(Honest):
    num_answered = 0

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        self.num_answered += 1
        return outputs

    def lie(self, outputs):
        return outputs[::-1] if self.num_answered else outputs
