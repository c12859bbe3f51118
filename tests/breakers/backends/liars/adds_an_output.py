"""Returns the whole beside its parts."""

from __future__ import annotations

import numpy as np

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        return [*outputs, np.concatenate(outputs, axis=1)]
