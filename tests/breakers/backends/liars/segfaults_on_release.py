"""Answers, and reads from address 0 when what it prepared is let go."""

from __future__ import annotations

import ctypes
from dataclasses import replace

from .honest import Honest, is_bait


class Bomb:
    def __init__(self, prepared):
        self.run = prepared.run

    def __call__(self, inputs):
        return self.run(inputs)

    def __del__(self):
        ctypes.string_at(0)


class Adapter(Honest):
    def prepare(self, call):
        prepared = super().prepare(call)
        return replace(prepared, run=Bomb(prepared)) if is_bait(call) else prepared
