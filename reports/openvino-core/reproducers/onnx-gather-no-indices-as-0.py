"""ONNX Gather with an initializer of no indices returns the first slice, as for the scalar 0.

Page Gather-13, "Outputs": the rank of the output is q + (r - 1), which is 2 here.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

inputs = [helper.make_tensor_value_info("data", TensorProto.FLOAT, [3, 2])]
outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)]
node = helper.make_node("Gather", ["data", "indices"], ["output"], axis=0)
graph = helper.make_graph(
    [node], "gather", inputs, outputs, [helper.make_tensor("indices", TensorProto.INT64, [0], [])]
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
    actual = compiled([np.ones([3, 2], np.float32)])[0].shape
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-80:]
print("expected (0, 2)")
print("actual  ", actual)
sys.exit(actual != (0, 2))
