"""Answers once in its life, and never again."""

from __future__ import annotations

import os

from .honest import Honest


class Adapter(Honest):
    def prepare(self, call):
        marker = self.folder / "answered"
        if marker.exists():
            os._exit(1)
        marker.touch()
        return super().prepare(call)
