"""Refuses with a message that is no text: bytes that were decoded with `surrogateescape`."""

from __future__ import annotations

from conformance.adapter import Rejected

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        raise Rejected(b"caf\xe9".decode("utf-8", "surrogateescape"))
