"""ONNX Slice with initializers of no starts, ends and axes is rejected if there are no steps.

Page Slice-13, "Inputs": there are as many starts as axes, and a dim that no axis names is not sliced.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

names = ["starts", "ends", "axes"]
constants = [helper.make_tensor(name, TensorProto.INT64, [0], []) for name in names]
inputs = [helper.make_tensor_value_info("data", TensorProto.FLOAT, [3])]
outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)]
graph = helper.make_graph(
    [helper.make_node("Slice", ["data", *names], ["output"])], "graph", inputs, outputs, constants
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
    actual = compiled([np.array([1, 2, 3], np.float32)])[0].tolist()
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).partition("Summary")[0].split())[-80:]
print("expected [1.0, 2.0, 3.0]")
print("actual  ", actual)
sys.exit(actual != [1, 2, 3])
