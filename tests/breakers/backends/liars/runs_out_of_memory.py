"""Asks for more memory than it may have."""

from __future__ import annotations

import resource

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        return [bytearray(1 << 31)]
