"""Dies on the bait, and presses Ctrl-C when it is started again; stands for a person who does."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from .honest import Honest


def parent_of(process):
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


class Adapter(Honest):
    def __init__(self, options):
        super().__init__(options)
        self.is_calm = (self.folder / "calm").exists()
        if (self.folder / "crashed").exists() and not self.is_calm:
            os.kill(parent_of(os.getppid()), signal.SIGINT)  # the command, above the engine process
            time.sleep(60)

    def lie(self, outputs):
        if not self.is_calm:
            (self.folder / "crashed").touch()
            os._exit(1)
        return outputs
