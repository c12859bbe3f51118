"""Says that it has no implementation."""

from __future__ import annotations

from conformance.adapter import Unsupported

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        raise Unsupported("not yet")
