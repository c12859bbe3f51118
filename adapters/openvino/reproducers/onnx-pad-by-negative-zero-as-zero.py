"""Pad adds 0.0 in place of -0.0.

Page Pad-18, "Inputs": constant_value is the value of the new elements.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

expected = "[-0.0, 1.0, 1.0]"
inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, [2])]
outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)]
constants = [
    helper.make_tensor("pads", TensorProto.INT64, [2], [1, 0]),
    helper.make_tensor("value", TensorProto.FLOAT, [], [-0.0]),
]
node = helper.make_node("Pad", ["input", "pads", "value"], ["output"])
graph = helper.make_graph([node], "graph", inputs, outputs, constants)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
    actual = str(compiled([np.ones(2, np.float32)])[0].tolist())
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-120:]
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
