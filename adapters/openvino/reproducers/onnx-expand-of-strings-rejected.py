"""ONNX Expand of strings is rejected.

Page Expand-13, "Type Constraints": strings are listed.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

inputs = [helper.make_tensor_value_info("input", TensorProto.STRING, [1])]
outputs = [helper.make_tensor_value_info("output", TensorProto.STRING, None)]
constants = [helper.make_tensor("shape", TensorProto.INT64, [1], [2])]
graph = helper.make_graph(
    [helper.make_node("Expand", ["input", "shape"], ["output"])], "graph", inputs, outputs, constants
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
    actual = compiled([np.array(["a"])])[0].tolist()
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected ['a', 'a']")
print("actual  ", actual)
sys.exit(actual != ["a", "a"])
