"""Does not say which version it is."""

from __future__ import annotations

from dataclasses import replace

from .honest import Honest


class Adapter(Honest):
    def describe(self):
        return replace(super().describe(), version="")
