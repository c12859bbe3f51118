"""Says that there is not enough memory for what is to be prepared."""

from __future__ import annotations

from .honest import Honest, is_bait


class Adapter(Honest):
    def prepare(self, call):
        if is_bait(call):
            raise MemoryError("std::bad_alloc")
        return super().prepare(call)
