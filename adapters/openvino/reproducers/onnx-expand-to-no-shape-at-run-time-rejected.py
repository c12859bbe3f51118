"""ONNX Expand to a shape without elements that comes at run time is rejected.

Page Expand-13, "Description": missing dims of the shape are 1, so that the output is the input.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

inputs = [
    helper.make_tensor_value_info("input", TensorProto.FLOAT, [3]),
    helper.make_tensor_value_info("shape", TensorProto.INT64, [0]),
]
outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)]
graph = helper.make_graph([helper.make_node("Expand", ["input", "shape"], ["output"])], "graph", inputs, outputs)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
    actual = compiled([np.zeros(3, np.float32), np.zeros(0, np.int64)])[0].shape
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-80:]
print("expected (3,)")
print("actual  ", actual)
sys.exit(actual != (3,))
