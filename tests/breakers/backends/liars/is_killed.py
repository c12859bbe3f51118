"""Is killed by the bait, as by somebody else; once, if there is a file `once`."""

from __future__ import annotations

import os
import signal

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        marker = self.folder / "killed"
        if not (marker.exists() and (self.folder / "once").exists()):
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return outputs
