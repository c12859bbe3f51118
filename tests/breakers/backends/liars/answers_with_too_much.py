"""Returns more bytes than an answer may have, in outputs of another shape."""

from __future__ import annotations

import numpy as np

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        return [np.repeat(output, 4 << 20, axis=1) for output in outputs]
