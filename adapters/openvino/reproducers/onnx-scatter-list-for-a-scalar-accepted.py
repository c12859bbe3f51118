"""ONNX ScatterND-18 takes a list of one update for a place that needs a scalar, if no dim is known.

Page ScatterND-18, "Summary": the shape of the updates must equal indices.shape[0:q-1] and data.shape[k:r], which have
no dims here.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

inputs = [
    helper.make_tensor_value_info("data", TensorProto.FLOAT, ["a", "b"]),
    helper.make_tensor_value_info("indices", TensorProto.INT64, ["c"]),
    helper.make_tensor_value_info("updates", TensorProto.FLOAT, ["d"]),
]
outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, ["a", "b"])]
node = helper.make_node("ScatterND", ["data", "indices", "updates"], ["output"])
graph = helper.make_graph([node], "graph", inputs, outputs)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
core = ov.Core()
compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
try:
    actual = compiled([np.zeros([2, 2], np.float32), np.array([1, 0]), np.ones([1], np.float32)])[0].tolist()
except RuntimeError as error:
    actual = None
    print("error:   ", " ".join(str(error).split())[-80:])
print("expected  an error")
print("actual   ", actual)
sys.exit(actual is not None)
