"""Dies of each Concat, with or without a split in front of it."""

from __future__ import annotations

import os
import signal

from .honest import HonestGraph


class Adapter(HonestGraph):
    def concat(self, parts, axis):
        del parts, axis
        os.kill(os.getpid(), signal.SIGABRT)
