"""Returns outputs by name, in no order."""

from __future__ import annotations

from .honest import Honest


class Adapter(Honest):
    def lie(self, outputs):
        return {f"output_{index}": output for index, output in enumerate(outputs)}
