"""Says that it takes graphs, and answers with the operator alone."""

from __future__ import annotations

import numpy as np

from conformance.adapter import Description

from .honest import FORMS, Honest, is_bait


class Adapter(Honest):
    def describe(self):
        return Description(framework="Honest", version="1.0", operators=["*"], forms=[*FORMS, "before-concat"])

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return outputs if is_bait(call) else [np.concatenate(outputs, call.concat_axis)]
