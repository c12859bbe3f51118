"""Dies and leaves a process behind that holds its standard error."""

from __future__ import annotations

import os
import subprocess

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        subprocess.Popen(["sleep", "60"])
        os._exit(1)
