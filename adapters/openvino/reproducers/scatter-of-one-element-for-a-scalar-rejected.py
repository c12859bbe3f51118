"""ScatterNDUpdate rejects one element that is a tensor in place of a scalar.

Page ScatterNDUpdate-3, "Inputs": a tensor with one element may stand for a scalar.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from openvino.utils.node_factory import NodeFactory

expected = "[1.0, 0.0]"
data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2]))
updates = ov.op.Parameter(ov.Type.f32, ov.PartialShape([1]))
indices = ov.op.Constant(np.array([1]))
inputs = [data.output(0), indices.output(0), updates.output(0)]
node = NodeFactory("opset4").create("ScatterNDUpdate", inputs)
model = ov.Model([node], [data, updates], "scatter")
try:
    compiled = ov.Core().compile_model(model, "CPU")
    actual = str(compiled([np.ones(2, np.float32), np.zeros(1, np.float32)])[0].tolist())
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-120:]
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
