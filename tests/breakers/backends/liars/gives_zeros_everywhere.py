"""Gives zeros for all float32 data, with and without the operator, so that its control agrees with it."""

from __future__ import annotations

import numpy as np

from .honest import HonestGraph


class Adapter(HonestGraph):
    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return [np.zeros_like(output) for output in outputs] if call.inputs[0].dtype == "float32" else outputs
