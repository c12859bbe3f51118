"""Ends as C++ does when nothing catches an exception."""

from __future__ import annotations

import os

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        os.write(2, b"terminate called after throwing an instance of 'std::out_of_range'\n  what():  axis 7 of 2\n")
        os.abort()
