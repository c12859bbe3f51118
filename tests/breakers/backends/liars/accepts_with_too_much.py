"""Accepts lengths that do not add up, and returns more bytes than an answer may have."""

from __future__ import annotations

import numpy as np

from conformance.adapter import Rejected

from .honest import Honest


class Adapter(Honest):
    def run(self, call, inputs):
        try:
            return super().run(call, inputs)
        except Rejected:
            return [np.zeros(32 << 20, np.float32)]
