"""Pad rejects a scalar, which has no dims to pad.

Page Pad-18, "Inputs": the data is a tensor, and there are two numbers for each dim.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

expected = "1.0"
inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, [])]
outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)]
constants = [helper.make_tensor("pads", TensorProto.INT64, [0], [])]
node = helper.make_node("Pad", ["input", "pads"], ["output"])
graph = helper.make_graph([node], "graph", inputs, outputs, constants)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
    actual = str(compiled([np.array(1, np.float32)])[0].tolist())
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-120:]
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
