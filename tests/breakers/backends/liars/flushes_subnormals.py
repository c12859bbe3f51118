"""Flushes subnormal numbers to zero."""

from __future__ import annotations

import numpy as np

from .honest import Honest


class Adapter(Honest):
    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        tiny = np.finfo(np.float32).tiny
        return [np.where(abs(o) < tiny, o * 0, o) if o.dtype == np.float32 else o for o in outputs]
