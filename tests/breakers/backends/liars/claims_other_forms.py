"""Claims to express nothing but a form that does not exist."""

from __future__ import annotations

from dataclasses import replace

from .honest import Honest


class Adapter(Honest):
    def describe(self):
        return replace(super().describe(), forms=["sideways"])
