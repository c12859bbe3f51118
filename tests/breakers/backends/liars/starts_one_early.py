"""Lets the last output start one element early."""

from __future__ import annotations

import numpy as np

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        return [*outputs[:-1], np.concatenate(outputs, axis=1)[:, 2:5]]
