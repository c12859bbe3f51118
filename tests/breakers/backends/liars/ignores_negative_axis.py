"""Takes axis 0 where the axis is negative."""

from __future__ import annotations

import numpy as np

from .honest import Honest


class Adapter(Honest):
    def run(self, call, inputs):
        axis = call.input("axis")
        if axis is not None and axis.array < 0:
            return np.split(inputs["data"], [2], axis=0)
        return super().run(call, inputs)
