"""Adds 0.0 to everything, which turns -0.0 into 0.0."""

from __future__ import annotations

import numpy as np

from .honest import Honest


class Adapter(Honest):
    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return [np.where(o == 0, np.float32(0), o) if o.dtype == np.float32 else o for o in outputs]
