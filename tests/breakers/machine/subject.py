"""An honest adapter that waits at a point while a file says so, and does there what another file says, once.

The points are `start`, `check-N` where the data has two rows and N columns, `timed-R` where it has other rows and rank
R, and `end`. It is copied into the folder of a staged run.
"""

from __future__ import annotations

import atexit
import os
from time import sleep

from .honest import Honest


class Adapter(Honest):
    def __init__(self, options):
        super().__init__(options)
        self.reach("start")
        atexit.register(self.reach, "end")

    def run(self, call, inputs):
        rows, *columns = call.inputs[0].dims
        self.reach(f"check-{columns[0]}" if rows == 2 else f"timed-{1 + len(columns)}")
        return super().run(call, inputs)

    def reach(self, point):
        misdeed, done = self.folder / f"do-at-{point}.py", self.folder / f"done-at-{point}.py"
        if misdeed.exists():
            misdeed.rename(done)
            exec(compile(done.read_text(), done, "exec"), {"folder": self.folder})
        if (self.folder / f"hold-at-{point}").exists():
            (self.folder / f"at-{point}-{os.getpid()}").touch()
        while (self.folder / f"hold-at-{point}").exists():
            sleep(0.002)
