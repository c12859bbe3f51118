"""Refuses every call."""

from __future__ import annotations

from conformance.adapter import Rejected

from .honest import Honest


class Adapter(Honest):
    def prepare(self, call):
        raise Rejected(f"{call.operator} is not wanted here")
