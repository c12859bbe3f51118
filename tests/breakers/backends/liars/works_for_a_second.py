"""Needs a second of CPU time for the bait, and tells when it begins."""

from __future__ import annotations

import os
import time

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        (self.folder / f"pid-{os.getpid()}").touch()
        end = time.process_time() + 1.0
        while time.process_time() < end:
            pass
        return outputs
