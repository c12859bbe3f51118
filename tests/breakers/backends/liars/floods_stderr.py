"""Writes eight megabytes to standard error."""

from __future__ import annotations

import sys

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        sys.stderr.write("o" * (8 << 20))
        return outputs
