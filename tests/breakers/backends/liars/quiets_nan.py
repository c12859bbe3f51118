"""Turns signalling NaNs into quiet ones, as arithmetic does."""

from __future__ import annotations

import numpy as np

from .honest import Honest


class Adapter(Honest):
    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return [out * np.float32(1) if out.dtype == np.float32 else out for out in outputs]
