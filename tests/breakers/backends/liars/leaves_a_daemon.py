"""Dies and leaves a process behind that holds every pipe, in a session of its own."""

from __future__ import annotations

import os
import time

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        if os.fork() == 0:
            os.setsid()
            (self.folder / f"daemon-{os.getpid()}").touch()
            time.sleep(60)
        os._exit(1)
