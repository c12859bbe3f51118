"""Computes a length below zero and returns it."""

from __future__ import annotations

from conformance.adapter import Tensor

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        return Tensor("uint16", (-6, 1), b""), *outputs[1:]
