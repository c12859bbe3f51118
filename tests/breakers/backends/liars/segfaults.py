"""Reads from address 0."""

from __future__ import annotations

import ctypes

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        ctypes.string_at(0)
