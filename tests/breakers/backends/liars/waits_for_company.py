"""Answers the bait once another target is asked for it, too."""

from __future__ import annotations

import time

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        (self.folder / "here").touch()
        while len(list(self.folder.parent.glob("*/here"))) < 2:
            time.sleep(0.01)
        return outputs
