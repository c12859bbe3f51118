"""Turns -0.0 into 0.0 where it splits, and joins rightly."""

from __future__ import annotations

from .honest import HonestGraph


class Adapter(HonestGraph):
    def split(self, parts):
        return [part + 0 for part in parts]
