"""Pad adds arbitrary elements in place of an int32 that is given at run time, if a dim is unknown.

Page Pad-18, "Inputs": constant_value is the value of the new elements. With float32 it is right.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

expected = "[7, 1, 1]"
inputs = [
    helper.make_tensor_value_info("input", TensorProto.INT32, [None]),
    helper.make_tensor_value_info("value", TensorProto.INT32, []),
]
outputs = [helper.make_tensor_value_info("output", TensorProto.INT32, None)]
constants = [helper.make_tensor("pads", TensorProto.INT64, [2], [1, 0])]
node = helper.make_node("Pad", ["input", "pads", "value"], ["output"])
graph = helper.make_graph([node], "graph", inputs, outputs, constants)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
    actual = str(compiled([np.ones(2, np.int32), np.array(7, np.int32)])[0].tolist())
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-120:]
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
