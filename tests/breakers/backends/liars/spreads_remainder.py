"""Cuts 7 into 3 as 3, 2 and 2, as `np.array_split` does."""

from __future__ import annotations

import numpy as np

from .honest import Honest


class Adapter(Honest):
    def run(self, call, inputs):
        if "num_outputs" in call.attributes:
            return np.array_split(inputs["input"], call.attributes["num_outputs"])
        return super().run(call, inputs)
