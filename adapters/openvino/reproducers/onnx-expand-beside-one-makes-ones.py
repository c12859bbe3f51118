"""ONNX: an Expand of data with unknown dims to [6, 2**32 + 3, 1] ends the process while it is compiled.

Page Expand, "Summary": two dims are equal, or one of them is 1. The call is invalid, and an error is expected: a shape
of [2**32, 1] is refused when it runs, after 8 GiB are filled with ones.

Exits with 1 if OpenVINO deviates, with 0 if it does not. It needs the package onnx.
"""
# ruff: noqa: S603, T201  (a script that prints and starts a process that ends by a signal)

import subprocess
import sys

MODEL = """
import openvino as ov
from onnx import TensorProto, helper
graph = helper.make_graph(
    [helper.make_node("Expand", ["data", "shape"], ["output"])], "expand",
    [helper.make_tensor_value_info("data", TensorProto.INT32, [None] * 3)],
    [helper.make_tensor_value_info("output", TensorProto.INT32, None)],
    [helper.make_tensor("shape", TensorProto.INT64, [3], [6, 2**32 + 3, 1])],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
try:
    ov.Core().compile_model(ov.Core().read_model(model.SerializeToString()), "CPU")
except RuntimeError:
    print("refused")
"""
done = subprocess.run([sys.executable, "-c", MODEL], stdout=subprocess.PIPE, text=True, check=False)
print("expected a compiled model or a refusal")
print("actual  ", done.stdout.strip() or f"process ended with {done.returncode}")
sys.exit(done.returncode < 0)
