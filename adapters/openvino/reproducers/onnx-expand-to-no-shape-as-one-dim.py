"""ONNX Expand of a scalar to an initializer of no lengths makes one dim of 1.

Page Expand-13, "Description": the output has the larger rank of both, which is 0.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, [])]
outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)]
constants = [helper.make_tensor("shape", TensorProto.INT64, [0], [])]
graph = helper.make_graph(
    [helper.make_node("Expand", ["input", "shape"], ["output"])], "graph", inputs, outputs, constants
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
core = ov.Core()
actual = core.compile_model(core.read_model(model.SerializeToString()), "CPU")([np.float32(7)])[0].shape
print("expected ()")
print("actual  ", actual)
sys.exit(actual != ())
