"""Computes everything in float32."""

from __future__ import annotations

import numpy as np

from .honest import Honest


class Adapter(Honest):
    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return [output.astype(np.float32) if output.dtype.kind in "iuf" else output for output in outputs]
