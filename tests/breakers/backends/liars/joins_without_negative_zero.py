"""Splits rightly, and turns -0.0 into 0.0 where it joins."""

from __future__ import annotations

from .honest import HonestGraph


class Adapter(HonestGraph):
    def concat(self, parts, axis):
        return super().concat(parts, axis) + 0
