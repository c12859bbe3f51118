"""Is wrong about the bait and where it joins zeros, and counts its starts: `hold-at-3` makes the third one wait,
`fail-at-3` makes it fail, `fail-from-3` also all later ones.
"""

from __future__ import annotations

import time

from .honest import HonestGraph, is_bait


class Adapter(HonestGraph):
    is_forkable = True

    def __init__(self, options):
        super().__init__(options)
        number = 1 + len(list(self.folder.glob("start-*")))
        (self.folder / f"start-{number}").touch()
        if (self.folder / f"hold-at-{number}").exists():
            time.sleep(60)
        failing = [int(path.name.rpartition("-")[2]) for path in self.folder.glob("fail-from-*")]
        if (self.folder / f"fail-at-{number}").exists() or any(number >= first for first in failing):
            raise RuntimeError("the device is busy")

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return outputs[::-1] if is_bait(call) else outputs

    def concat(self, parts, axis):
        return super().concat(parts, axis) + 0
