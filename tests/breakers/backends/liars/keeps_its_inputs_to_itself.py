"""Lets its worker say that it takes no inputs from the engine's memory, so that the engine would not look at them."""

from __future__ import annotations

from conformance.protocol import messages

from .honest import Honest


class Adapter(Honest):
    def __init__(self, options):
        super().__init__(options)
        ready = messages.ready
        messages.ready = lambda description, **others: ready(description, **{**others, "arena": False})
