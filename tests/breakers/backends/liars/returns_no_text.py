"""Returns strings whose bytes are no UTF-8."""

from __future__ import annotations

import numpy as np

from .honest import Honest


class Adapter(Honest):
    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return [np.array([b"\xff"] * o.size, dtype=object) if o.dtype == object else o for o in outputs]
