"""Replaces every NaN by the usual one."""

from __future__ import annotations

import numpy as np

from .honest import Honest


class Adapter(Honest):
    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return [np.where(np.isnan(o), np.float32(np.nan), o) if o.dtype == np.float32 else o for o in outputs]
