"""Loses the shape."""

from __future__ import annotations

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        return [output.reshape(-1) for output in outputs]
