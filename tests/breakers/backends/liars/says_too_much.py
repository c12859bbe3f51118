"""Refuses with a message of four megabytes."""

from __future__ import annotations

from conformance.adapter import Rejected

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        raise Rejected("no, " * (1 << 20))
