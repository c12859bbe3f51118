"""Returns its outputs one at a time, which is honest enough."""

from __future__ import annotations

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        return (output for output in outputs)
