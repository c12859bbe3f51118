"""Refuses every call, with an address, a count and a name that differ each time."""

from __future__ import annotations

import itertools

from conformance.adapter import Rejected

from .honest import Honest

_NUMBERS = itertools.count(1)


class Adapter(Honest):
    def prepare(self, call):
        number = next(_NUMBERS)
        raise Rejected(f"node 'Split_{number}' at {id(call):#x}: model {number} cannot be read")
