"""ONNX: an Expand of [3, 3] to the constant shape [-2, 3, 3] gives the shape [0, 3, 3].

Page Expand, "Summary": two dims are equal, or one of them is 1. No dim is -2.

Exits with 1 if OpenVINO deviates, with 0 if it does not. It needs the package onnx.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

graph = helper.make_graph(
    [helper.make_node("Expand", ["data", "shape"], ["output"])],
    "expand",
    [helper.make_tensor_value_info("data", TensorProto.FLOAT, [3, 3])],
    [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)],
    [helper.make_tensor("shape", TensorProto.INT64, [3], [-2, 3, 3])],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
try:
    compiled = ov.Core().compile_model(ov.Core().read_model(model.SerializeToString()), "CPU")
    actual = compiled([np.zeros([3, 3], np.float32)])[0].shape
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
