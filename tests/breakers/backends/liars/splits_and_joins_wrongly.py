"""Turns -0.0 into 0.0 where it joins, and 1.0 into 2.0 where it splits."""

from __future__ import annotations

import numpy as np

from .honest import HonestGraph


class Adapter(HonestGraph):
    def split(self, parts):
        return [np.where(part == 1, part.dtype.type(2), part) for part in parts]

    def concat(self, parts, axis):
        return super().concat(parts, axis) + 0
