"""Fails when a prepared call is run again."""

from __future__ import annotations

from conformance.adapter import Prepared

from .honest import Honest, is_bait


class Adapter(Honest):
    def prepare(self, call):
        has_run = False

        def run(inputs):
            nonlocal has_run
            if has_run and is_bait(call):
                raise RuntimeError("this graph was consumed")
            has_run = True
            return self.run(call, inputs)

        return Prepared(run=run)
