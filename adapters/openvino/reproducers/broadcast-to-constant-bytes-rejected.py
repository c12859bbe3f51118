"""Broadcast rejects a constant shape of int8 or uint8.

Page Broadcast-3, "Types": the shape is of any integer type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from openvino.utils.node_factory import NodeFactory

expected = "[1.0, 1.0]"
data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([1]))
target = ov.op.Constant(np.array([2], np.int8))
inputs = [data.output(0), target.output(0)]
node = NodeFactory("opset3").create("Broadcast", inputs, {"mode": "numpy"})
model = ov.Model([node], [data], "broadcast")
try:
    compiled = ov.Core().compile_model(model, "CPU")
    actual = str(compiled([np.ones(1, np.float32)])[0].tolist())
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-120:]
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
