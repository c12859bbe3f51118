"""Dies on the bait, but not when asked again."""

from __future__ import annotations

import os

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        marker = self.folder / "crashed"
        if not marker.exists():
            marker.touch()
            os._exit(1)
        return outputs
