"""Hands zeros on in the place of all float32 data."""

from __future__ import annotations

import numpy as np

from .honest import Honest


class Adapter(Honest):
    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return [np.zeros_like(out) if out.dtype == np.float32 else out for out in outputs]
