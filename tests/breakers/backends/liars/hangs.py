"""Never answers."""

from __future__ import annotations

import time

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        time.sleep(60)
