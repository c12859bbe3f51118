"""Ends with a status of its own."""

from __future__ import annotations

import sys

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        sys.exit(3)
