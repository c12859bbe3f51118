"""ONNX: a Squeeze of [1] along the axis 104, which comes at run time, gives a scalar.

Page Squeeze, "Inputs": the axes are in the range [-r, r - 1], where r is the rank of the data, here 1.

Exits with 1 if OpenVINO deviates, with 0 if it does not. It needs the package onnx.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

graph = helper.make_graph(
    [helper.make_node("Squeeze", ["data", "axes"], ["output"])],
    "squeeze",
    [
        helper.make_tensor_value_info("data", TensorProto.FLOAT, [1]),
        helper.make_tensor_value_info("axes", TensorProto.INT64, [1]),
    ],
    [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
try:
    compiled = ov.Core().compile_model(ov.Core().read_model(model.SerializeToString()), "CPU")
    actual = compiled([np.zeros([1], np.float32), np.array([104], np.int64)])[0].shape
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
