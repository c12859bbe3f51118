"""Answers, and reads from address 0 when it is timed."""

from __future__ import annotations

import ctypes
from dataclasses import replace

from .honest import Honest, is_bait


class Adapter(Honest):
    def prepare(self, call):
        prepared = super().prepare(call)
        return replace(prepared, bind=lambda inputs: lambda: ctypes.string_at(0)) if is_bait(call) else prepared
