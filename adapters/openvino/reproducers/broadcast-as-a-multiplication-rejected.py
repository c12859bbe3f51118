"""Broadcast of float8 data is rejected if a dim is unknown that the shape leaves as it is.

Page Broadcast-3, "Types": the data is of any numeric type. With known dims it is accepted.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from openvino.utils.node_factory import NodeFactory

expected = "[2]"
data = ov.op.Parameter(ov.Type.f8e5m2, ov.PartialShape([-1]))
target = ov.op.Constant(np.array([1]))
inputs = [data.output(0), target.output(0)]
node = NodeFactory("opset3").create("Broadcast", inputs, {"mode": "bidirectional"})
model = ov.Model([node], [data], "broadcast")
try:
    request = ov.Core().compile_model(model, "CPU").create_infer_request()
    request.set_input_tensor(0, ov.Tensor(ov.Type.f8e5m2, [2]))
    request.start_async()
    request.wait()
    actual = str(request.get_output_tensor(0).shape)
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-120:]
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
