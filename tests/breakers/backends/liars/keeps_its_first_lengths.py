"""Cuts later calls as the first one, where its lengths fit."""

from __future__ import annotations

from conformance.adapter import Prepared

from .honest import Honest, is_bait


class Adapter(Honest):
    def prepare(self, call):
        first = []

        def run(inputs):
            lengths = inputs["split_lengths"]
            first.append(lengths)
            kept = first[0] if is_bait(call) and first[0].sum() == lengths.sum() else lengths
            return self.run(call, {**inputs, "split_lengths": kept})

        return Prepared(run=run)
