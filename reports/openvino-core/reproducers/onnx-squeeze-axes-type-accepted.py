"""ONNX Squeeze and Unsqueeze with axes of float32 are accepted. So are other integer types.

Page Squeeze-13, "Inputs": the axes are int64.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

inputs = [helper.make_tensor_value_info("data", TensorProto.FLOAT, [1, 3, 1])]
outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)]
node = helper.make_node("Squeeze", ["data", "axes"], ["output"])
graph = helper.make_graph([node], "graph", inputs, outputs, [helper.make_tensor("axes", TensorProto.FLOAT, [1], [0.0])])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
    actual = compiled([np.zeros([1, 3, 1], np.float32)])[0].shape
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-80:]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
