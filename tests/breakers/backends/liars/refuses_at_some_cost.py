"""Takes memory below the limit before it refuses a call, and reserves more that it never touches."""

from __future__ import annotations

import numpy as np

from conformance.adapter import Rejected

from .honest import Honest, fill_memory


class Adapter(Honest):
    def run(self, call, inputs):
        try:
            return super().run(call, inputs)
        except Rejected:
            reserved = np.empty(2 << 30, np.uint8)
            fill_memory(mebibytes=256)
            del reserved
            raise
