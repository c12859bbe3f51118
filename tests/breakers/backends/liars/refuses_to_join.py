"""Refuses each Concat, with or without a split in front of it."""

from __future__ import annotations

from conformance.adapter import Rejected

from .honest import HonestGraph


class Adapter(HonestGraph):
    def concat(self, parts, axis):
        del parts, axis
        raise Rejected("no Concat here")
