"""Cuts along the other axis."""

from __future__ import annotations

import numpy as np

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        return np.split(np.concatenate(outputs, axis=1), [1, 3], axis=0)
