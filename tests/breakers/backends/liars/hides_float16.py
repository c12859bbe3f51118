"""Does not declare a type that it computes well."""

from __future__ import annotations

from dataclasses import replace

from .honest import Honest


class Adapter(Honest):
    def describe(self):
        return replace(super().describe(), dtypes=["bfloat16", "float32", "float64", "int64", "uint16", "string"])
