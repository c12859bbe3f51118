"""Answers honestly, two hundredths of a second a call, and says which process it is."""

from __future__ import annotations

import os
import time

from .honest import Honest


class Adapter(Honest):
    def __init__(self, options):
        super().__init__(options)
        (self.folder / f"pid-{os.getpid()}").touch()

    def run(self, call, inputs):
        time.sleep(0.02)
        return super().run(call, inputs)
