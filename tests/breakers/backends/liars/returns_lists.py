"""Returns lists of numbers, whose type nobody can tell."""

from __future__ import annotations

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        return [output.tolist() for output in outputs]
