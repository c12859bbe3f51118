"""Returns something that is no array."""

from __future__ import annotations

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        return [object() for _ in outputs]
