"""ONNX Expand of data without elements divides by zero and ends the process if the shapes are known.

Page Expand-13, "Description": the shape of the output is (0,) here. With unknown dims it is right.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: S603, T201  (a script that prints, and runs itself)

import subprocess
import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

expected = "(0,)"
if len(sys.argv) == 1:  # the call ends the process, so it runs in another one
    code = subprocess.run([sys.executable, __file__, "call"], check=False).returncode
    print(f"expected {expected}, and exit code 0")
    print("actual   exit code", code)
    sys.exit(int(code != 0))
inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, [0])]
outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)]
constants = [helper.make_tensor("shape", TensorProto.INT64, [1], [0])]
graph = helper.make_graph(
    [helper.make_node("Expand", ["input", "shape"], ["output"])], "graph", inputs, outputs, constants
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
core = ov.Core()
compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
actual = str(compiled([np.zeros(0, np.float32)])[0].shape)
print("shape   ", actual)
sys.exit(actual != expected)
