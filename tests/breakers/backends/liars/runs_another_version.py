"""Lets its worker run another copy of the code than the engine."""

from __future__ import annotations

from conformance.protocol import messages

from .honest import Honest


class Adapter(Honest):
    def __init__(self, options):
        super().__init__(options)
        messages.CODE = "elsewhere"
