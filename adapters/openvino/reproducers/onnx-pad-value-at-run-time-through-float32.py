"""Pad rounds an int32 that is the value of the new elements to float32, if the value and the pads come at run time.

Page Pad-18, "Inputs": constant_value is the value of the new elements. float32 has no 33620225.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

expected = "[33620225, 1, 1]"
inputs = [
    helper.make_tensor_value_info("input", TensorProto.INT32, [2]),
    helper.make_tensor_value_info("pads", TensorProto.INT64, [2]),
    helper.make_tensor_value_info("value", TensorProto.INT32, []),
]
outputs = [helper.make_tensor_value_info("output", TensorProto.INT32, None)]
node = helper.make_node("Pad", ["input", "pads", "value"], ["output"])
graph = helper.make_graph([node], "graph", inputs, outputs)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
    numbers = [np.ones(2, np.int32), np.array([1, 0], np.int64), np.array(33620225, np.int32)]
    actual = str(compiled(numbers)[0].tolist())
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-120:]
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
