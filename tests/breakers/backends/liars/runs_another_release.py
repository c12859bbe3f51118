"""Lets its worker say that it is of another release than the engine."""

from __future__ import annotations

from conformance.protocol import messages

from .honest import Honest


class Adapter(Honest):
    def __init__(self, options):
        super().__init__(options)
        messages.__version__ = "0.0.1"
