"""Burns CPU time and never answers."""

from __future__ import annotations

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        while True:
            pass
