"""Returns views of one buffer, which the next run overwrites."""

from __future__ import annotations

import numpy as np

from conformance.adapter import Prepared

from .honest import Honest, is_bait


class Adapter(Honest):
    def prepare(self, call):
        buffer = np.zeros(1 << 10, np.uint16)

        def run(inputs):
            outputs = self.run(call, inputs)
            return _copied_into(buffer, outputs) if is_bait(call) else outputs

        return Prepared(run=run)


def _copied_into(buffer, outputs):
    views, start = [], 0
    for output in outputs:
        view = buffer[start : start + output.size].reshape(output.shape)
        view[...] = output
        views.append(view)
        start += output.size
    return views
