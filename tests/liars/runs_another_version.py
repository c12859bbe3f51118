"""Lets its worker run another opconform than the engine."""

from __future__ import annotations

from conformance.workers import messages

from .honest import Honest


class Adapter(Honest):
    def __init__(self, options):
        super().__init__(options)
        messages.PACKAGE = "opconform 0.0.1 in elsewhere"
