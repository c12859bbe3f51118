"""Prints the newest opset and the newest IR version of the installed ONNX Runtime, which names both in its refusals."""

from __future__ import annotations

import re

import onnxruntime


def field(number: int, value: bytes | int) -> bytes:
    """A field of a message: a number below 128, or up to 127 bytes."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    return bytes([number << 3 | 2, len(value)]) + value


FLOATS = field(1, field(1, 1) + field(2, b""))
GIVEN, MADE = (field(1, name) + field(2, FLOATS) for name in (b"x", b"y"))
NODE = field(1, b"x") + field(2, b"y") + field(4, b"Identity")
GRAPH = field(1, NODE) + field(2, b"g") + field(11, GIVEN) + field(12, MADE)
for ir, opset, names in ((3, 120, "till opset ([0-9]+)"), (120, 13, "max supported IR version: ([0-9]+)")):
    model = field(1, ir) + field(7, GRAPH) + field(8, field(2, opset))
    try:
        onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001  (its own class for each error)
        found = re.search(names, str(error))
        print(found[1] if found else error)
