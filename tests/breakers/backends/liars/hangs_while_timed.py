"""Answers, and sleeps when it is timed."""

from __future__ import annotations

import time
from dataclasses import replace

from .honest import Honest, is_bait


class Adapter(Honest):
    def prepare(self, call):
        prepared = super().prepare(call)
        return replace(prepared, bind=lambda inputs: lambda: time.sleep(60)) if is_bait(call) else prepared
