"""Starts a process, and never answers; both burn CPU time."""

from __future__ import annotations

import os

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        os.fork()
        (self.folder / f"busy-{os.getpid()}").touch()
        while True:
            pass
