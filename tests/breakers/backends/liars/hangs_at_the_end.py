"""Answers everything, and then does not end."""

from __future__ import annotations

import atexit
import time

from .honest import Honest


class Adapter(Honest):
    def __init__(self, options):
        super().__init__(options)
        atexit.register(time.sleep, 60)
