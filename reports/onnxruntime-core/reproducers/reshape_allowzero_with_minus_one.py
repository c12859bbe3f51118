"""ONNX Reshape-14 of [0, 3] with allowzero and the shape [0, -1]: accepted if the shape comes at run time.

The page (Reshape - 14, Summary): "If the attribute 'allowzero' is set, it is invalid for the specified shape to contain
both a zero value and -1".
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

node = helper.make_node("Reshape", ["data", "shape"], ["output_0"], allowzero=1)
inputs = [
    helper.make_tensor_value_info("data", TensorProto.FLOAT, [0, 3]),
    helper.make_tensor_value_info("shape", TensorProto.INT64, [2]),
]
output = helper.make_tensor_value_info("output_0", TensorProto.FLOAT, [None, None])
graph = helper.make_graph([node], "graph", inputs, [output])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
given = {"data": np.zeros([0, 3], np.float32), "shape": np.array([0, -1])}
try:
    actual = f"shape {session.run(None, given)[0].shape}"
except Exception as error:  # noqa: BLE001
    actual = f"an error: {error}"
print(f"Reshape of [0, 3] with allowzero and the shape [0, -1]\n  expected an error\n  actual   {actual}")
sys.exit(int(actual.startswith("shape")))
