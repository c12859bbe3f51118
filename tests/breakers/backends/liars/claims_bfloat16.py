"""Claims a type that it has no implementation for."""

from __future__ import annotations

from dataclasses import replace

from conformance.adapter import Unsupported

from .honest import Honest


class Adapter(Honest):
    def describe(self):
        every = ["bfloat16", "float16", "float32", "float64", "int64", "uint16", "string"]
        return replace(super().describe(), dtypes=every)

    def prepare(self, call):
        if call.inputs[0].dtype == "bfloat16":
            raise Unsupported("bfloat16 needs another machine")
        return super().prepare(call)
