"""ScatterND-16 accepts the reduction max, which only version 18 has.

Page ScatterND-16, "Attributes": the reduction is none, add or mul.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

given = {"data": np.ones(3, np.float32), "indices": np.array([[1]]), "updates": np.array([5], np.float32)}
inputs = [
    helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(tensor.dtype), tensor.shape)
    for name, tensor in given.items()
]
outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)]
node = helper.make_node("ScatterND", list(given), ["output"], reduction="max")
graph = helper.make_graph([node], "graph", inputs, outputs)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8)
expected = "an error"
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
    actual = str(compiled(list(given.values()))[0].tolist())
except RuntimeError as error:
    actual = "an error"
    print(" ".join(str(error).split())[-120:])
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
