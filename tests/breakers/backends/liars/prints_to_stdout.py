"""Prints to standard output in three ways, as frameworks do."""

from __future__ import annotations

import ctypes
import os

from .honest import Honest


class Adapter(Honest):
    def run(self, call, inputs):
        print("OPC1 from Python")
        os.write(1, b"OPC1 from the system")
        ctypes.CDLL(None).printf(b"OPC1 from C\n")
        ctypes.CDLL(None).fflush(None)
        return super().run(call, inputs)
