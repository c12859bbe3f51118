"""A Slice of constant strings is refused when the model is compiled, and the strings alone are not.

OpenVINO Slice-8, "Types": the data has any supported type.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino
from openvino import opset13 as ops

TEXTS = ["a", "b", "c", "d"]


texts = openvino.Tensor(np.array(TEXTS))
bounds = [ops.constant(np.array([number])) for number in (1, 3, 1)]
deviates = False
for name, node, expected in (
    ("the constant", ops.constant(texts), TEXTS),
    ("a Slice of it", ops.slice(ops.constant(texts), *bounds), TEXTS[1:3]),
):
    try:
        actual = openvino.Core().compile_model(openvino.Model([ops.result(node)], []), "CPU")([])[0].tolist()
    except Exception as error:  # noqa: BLE001
        actual = f"rejected: {error}"
    print(f"{name}\n  expected {expected}\n  actual   {actual}")
    deviates |= actual != expected
sys.exit(int(deviates))
