"""ONNX Squeeze and Unsqueeze with an initializer of no axes take it for the axis 0.

Page Unsqueeze-13, "Summary": the rank of the output is that of the data and the number of axes.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

inputs = [helper.make_tensor_value_info("data", TensorProto.FLOAT, [2, 3])]
outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)]
node = helper.make_node("Unsqueeze", ["data", "axes"], ["output"])
graph = helper.make_graph([node], "graph", inputs, outputs, [helper.make_tensor("axes", TensorProto.INT64, [0], [])])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
    actual = compiled([np.zeros([2, 3], np.float32)])[0].shape
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-80:]
print("expected (2, 3)")
print("actual  ", actual)
sys.exit(actual != (2, 3))
