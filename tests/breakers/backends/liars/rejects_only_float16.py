"""Refuses one element type, and only when it runs."""

from __future__ import annotations

from conformance.adapter import Rejected

from .honest import Honest


class Adapter(Honest):
    def run(self, call, inputs):
        if call.inputs[0].dtype == "float16":
            raise Rejected("half is not enough")
        return super().run(call, inputs)
