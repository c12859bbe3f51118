"""Is right, and sleeps a while before it says so."""

from __future__ import annotations

import time

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        time.sleep(0.05)
        return outputs
