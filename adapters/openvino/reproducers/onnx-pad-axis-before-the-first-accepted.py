"""Pad writes outside of memory for an axis far below the range that comes at run time, and ends the process.

Page Pad-18, "Inputs": an axis is from -rank to rank - 1. For -3 of a matrix there is an output.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: S603, T201  (a script that prints, and runs itself)

import subprocess
import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

expected = "an error"
if len(sys.argv) == 1:  # the call ends the process, so it runs in another one
    code = subprocess.run([sys.executable, __file__, "call"], check=False).returncode
    print("expected", expected, "and exit code 0")
    print("actual   exit code", code)
    sys.exit(int(code != 0))
inputs = [
    helper.make_tensor_value_info("input", TensorProto.FLOAT, [2, 2]),
    helper.make_tensor_value_info("axes", TensorProto.INT64, [1]),
]
outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)]
constants = [helper.make_tensor("pads", TensorProto.INT64, [2], [1, 0])]
node = helper.make_node("Pad", ["input", "pads", "", "axes"], ["output"])
graph = helper.make_graph([node], "graph", inputs, outputs, constants)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
    compiled([np.ones((2, 2), np.float32), np.array([-(2**31)])])
    actual = "an output"
except RuntimeError:
    actual = "an error"
print("actual  ", actual)
sys.exit(actual != expected)
