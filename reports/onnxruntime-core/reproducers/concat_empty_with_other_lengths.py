"""ONNX Concat-13 of [2, 2] and [0, 3] along axis 0: accepted if the model does not know the shapes.

The page (Concat - 13, Summary): "All input tensors must have the same shape, except for the dimension size of the axis
to concatenate on." The lengths along axis 1 are 2 and 3.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

names = ["inputs_0", "inputs_1"]
node = helper.make_node("Concat", names, ["output_0"], axis=0)
inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None, None]) for name in names]
output = helper.make_tensor_value_info("output_0", TensorProto.FLOAT, [None, None])
graph = helper.make_graph([node], "graph", inputs, [output])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
given = dict(zip(names, (np.zeros([2, 2], np.float32), np.zeros([0, 3], np.float32)), strict=True))
try:
    actual = f"shape {session.run(None, given)[0].shape}"
except Exception as error:  # noqa: BLE001
    actual = f"an error: {error}"
print(f"Concat of [2, 2] and [0, 3]\n  expected an error\n  actual   {actual}")
sys.exit(int(actual.startswith("shape")))
