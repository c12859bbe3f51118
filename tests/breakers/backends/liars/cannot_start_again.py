"""Dies on the bait, and then refuses to start."""

from __future__ import annotations

import os

from .honest import Honest


class Adapter(Honest):
    def __init__(self, options):
        super().__init__(options)
        if (self.folder / "crashed").exists():
            raise RuntimeError("the device is gone")

    def lie(self, outputs):
        (self.folder / "crashed").touch()
        os._exit(1)
