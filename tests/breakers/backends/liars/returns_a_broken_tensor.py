"""Returns a tensor with too few bytes."""

from __future__ import annotations

from conformance.adapter import Tensor

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        return Tensor("uint16", (6, 1), b"12"), *outputs[1:]
