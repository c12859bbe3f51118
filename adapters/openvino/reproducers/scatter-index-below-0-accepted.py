"""ScatterNDUpdate takes an index below 0 in version 3.

Page ScatterNDUpdate-3, "Inputs": an index is from 0 to the length less 1.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from openvino.utils.node_factory import NodeFactory

expected = "an error"
try:
    data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2]))
    updates = ov.op.Parameter(ov.Type.f32, ov.PartialShape([1]))
    indices = ov.op.Constant(np.array([[-1]]))
    inputs = [data.output(0), indices.output(0), updates.output(0)]
    node = NodeFactory("opset4").create("ScatterNDUpdate", inputs)
    model = ov.Model([node], [data, updates], "scatter")
    compiled = ov.Core().compile_model(model, "CPU")
    actual = str(compiled([np.ones(2, np.float32), np.zeros(1, np.float32)])[0].tolist())
except RuntimeError:
    actual = "an error"
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
