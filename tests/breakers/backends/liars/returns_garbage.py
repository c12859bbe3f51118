"""Returns other numbers in the right shapes."""

from __future__ import annotations

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        return [output ^ 0x5555 for output in outputs]
