"""Broadcast of nf4 to a shape that comes at run time refuses its own output.

Page Broadcast-1, "Inputs" and "Types": T is any type, and T_SHAPE any integer. With u4 it runs.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from openvino import opset1

data = ov.op.Parameter(ov.Type.nf4, ov.PartialShape([2, 4]))
shape = ov.op.Parameter(ov.Type.i64, ov.PartialShape([2]))
mapping = ov.op.Constant(ov.Type.i64, ov.Shape([2]), [0, 1])
node = opset1.broadcast(data, shape, mapping, "EXPLICIT")
model = ov.Model([node.output(0)], [data, shape], "broadcast")
print("expected [2,4]")
try:
    request = ov.Core().compile_model(model, "CPU").create_infer_request()
    request.set_input_tensor(0, ov.Tensor(np.zeros(4, np.uint8), [2, 4], ov.Type.nf4))
    request.set_input_tensor(1, ov.Tensor(np.array([2, 4], np.int64)))
    request.start_async()
    request.wait()
    actual = str(request.get_output_tensor(0).shape)
except RuntimeError as error:
    actual = "refused: " + " ".join(str(error).split())[-120:]
print("actual  ", actual)
sys.exit(actual != "[2,4]")
