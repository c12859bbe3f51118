"""ScatterNDUpdate rejects uint2 with a message that names a conversion.

Page ScatterNDUpdate-3, "Types": the data is of any numeric type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from openvino.utils.node_factory import NodeFactory

expected = "[4]"
data = ov.op.Parameter(ov.Type.u2, ov.PartialShape([4]))
updates = ov.op.Parameter(ov.Type.u2, ov.PartialShape([1]))
indices = ov.op.Constant(np.array([[1]]))
inputs = [data.output(0), indices.output(0), updates.output(0)]
node = NodeFactory("opset4").create("ScatterNDUpdate", inputs)
model = ov.Model([node], [data, updates], "scatter")
try:
    request = ov.Core().compile_model(model, "CPU").create_infer_request()
    bits = [np.array([0b11100100], np.uint8), np.array([2], np.uint8)]
    request.set_input_tensor(0, ov.Tensor(bits[0], [4], ov.Type.u2))
    request.set_input_tensor(1, ov.Tensor(bits[1], [1], ov.Type.u2))
    request.start_async()
    request.wait()
    actual = str(request.get_output_tensor(0).shape)
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-120:]
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
