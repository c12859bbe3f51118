"""Does not answer the first time."""

from __future__ import annotations

import time

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        marker = self.folder / "hung"
        if not marker.exists():
            marker.touch()
            time.sleep(60)
        return outputs
