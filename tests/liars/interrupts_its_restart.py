"""Dies on the bait, and presses Ctrl-C when it is started again; stands for a person who does."""

from __future__ import annotations

import os
import signal
import time

from .honest import Honest


class Adapter(Honest):
    def __init__(self, options):
        super().__init__(options)
        self.is_calm = (self.folder / "calm").exists()
        if (self.folder / "crashed").exists() and not self.is_calm:
            os.kill(os.getppid(), signal.SIGINT)
            time.sleep(60)

    def lie(self, outputs):
        if not self.is_calm:
            (self.folder / "crashed").touch()
            os._exit(1)
        return outputs
