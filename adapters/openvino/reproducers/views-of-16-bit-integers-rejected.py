"""Broadcast rejects data of int16 that is a view of a larger tensor.

Page Broadcast-3: no sentence requires that the data lies in one piece. Contiguous data is right.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from openvino.utils.node_factory import NodeFactory

expected = "[[1, 1], [2, 2]]"
data = ov.op.Parameter(ov.Type.i16, ov.PartialShape([2, 1]))
target = ov.op.Constant(np.array([2, 2]))
inputs = [data.output(0), target.output(0)]
node = NodeFactory("opset3").create("Broadcast", inputs, {"mode": "numpy"})
model = ov.Model([node], [data], "broadcast")
try:
    request = ov.Core().compile_model(model, "CPU").create_infer_request()
    array = np.array([[1, 0], [2, 0]], np.int16)
    wide = ov.Tensor(array)
    request.set_input_tensor(0, ov.Tensor(wide, [0, 0], [2, 1]))
    request.start_async()
    request.wait()
    actual = str(request.get_output_tensor(0).data.tolist())
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-120:]
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
