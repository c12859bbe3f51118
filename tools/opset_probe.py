"""Prints the newest opset of an installed package, and its newest IR version if it has one: `opset_probe.py PACKAGE`.

It runs in the environment of a release, which has neither this suite nor more than the package needs.
"""

from __future__ import annotations

import pkgutil
import re
import sys
from collections.abc import Iterator


def of_onnx() -> Iterator[int]:
    """ONNX says both."""
    import onnx

    yield from (onnx.defs.onnx_opset_version(), onnx.IR_VERSION)


def of_onnxruntime() -> Iterator[int]:
    """ONNX Runtime names both in its refusals of models that are too new for it."""
    import onnxruntime

    floats = _field(1, _field(1, 1) + _field(2, b""))
    given, made = (_field(1, name) + _field(2, floats) for name in (b"x", b"y"))
    node = _field(1, b"x") + _field(2, b"y") + _field(4, b"Identity")
    graph = _field(1, node) + _field(2, b"g") + _field(11, given) + _field(12, made)
    for ir, opset, names in ((3, 120, "till opset ([0-9]+)"), (120, 13, "max supported IR version: ([0-9]+)")):
        model = _field(1, ir) + _field(7, graph) + _field(8, _field(2, opset))
        try:
            onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
        except Exception as error:  # noqa: BLE001  (its own class for each error)
            found = re.search(names, str(error))
            yield int(found[1] if found else str(error))


def _field(number: int, value: bytes | int) -> bytes:
    """A field of a protobuf message: a number below 128, or up to 127 bytes."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    return bytes([number << 3 | 2, len(value)]) + value


def of_openvino() -> Iterator[int]:
    """OpenVINO has a module for each opset."""
    import openvino

    folders = [*openvino.__path__, *(f"{path}/runtime" for path in openvino.__path__)]
    names = [module.name for module in pkgutil.iter_modules(folders)]
    yield max(int(name.removeprefix("opset")) for name in names if name.startswith("opset") and name[5:].isdecimal())


PROBES = {"onnx": of_onnx, "onnxruntime": of_onnxruntime, "openvino": of_openvino}

if __name__ == "__main__":
    print(*PROBES[sys.argv[1]]())
