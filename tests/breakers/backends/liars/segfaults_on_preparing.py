"""Reads from address 0 before there is anything to run."""

from __future__ import annotations

import ctypes

from .honest import Honest, is_bait


class Adapter(Honest):
    def prepare(self, call):
        if is_bait(call):
            ctypes.string_at(0)
        return super().prepare(call)
