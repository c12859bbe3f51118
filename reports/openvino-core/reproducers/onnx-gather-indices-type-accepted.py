"""ONNX Gather with indices of uint8 is accepted.

Page Gather-13, "Type Constraints": indices are int32 or int64.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

inputs = [
    helper.make_tensor_value_info("data", TensorProto.FLOAT, [3, 2]),
    helper.make_tensor_value_info("indices", TensorProto.UINT8, [1]),
]
outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)]
node = helper.make_node("Gather", ["data", "indices"], ["output"], axis=0)
graph = helper.make_graph([node], "gather", inputs, outputs)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
    actual = compiled([np.ones([3, 2], np.float32), np.array([1], np.uint8)])[0].tolist()
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-80:]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
