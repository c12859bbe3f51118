"""Pad rejects the mode wrap.

Page Pad-19, "Attributes": wrap is one of the modes.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

expected = "[1.0, 1.0, 1.0]"
inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, [2])]
outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)]
constants = [helper.make_tensor("pads", TensorProto.INT64, [2], [1, 0])]
node = helper.make_node("Pad", ["input", "pads"], ["output"], mode="wrap")
graph = helper.make_graph([node], "graph", inputs, outputs, constants)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=10)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
    actual = str(compiled([np.ones(2, np.float32)])[0].tolist())
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-120:]
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
