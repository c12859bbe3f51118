"""Raises what no `except Exception` catches."""

from __future__ import annotations

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        raise KeyboardInterrupt
