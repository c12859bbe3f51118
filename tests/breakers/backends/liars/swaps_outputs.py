"""Returns the outputs in reverse order."""

from __future__ import annotations

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        return outputs[::-1]
