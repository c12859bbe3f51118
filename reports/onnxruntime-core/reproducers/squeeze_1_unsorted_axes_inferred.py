"""Squeeze-1 with the axes [2, 0] removes both dims, and its shape inference says that only one is removed.

The page (Squeeze - 1, Attributes): axes is a list of dims, of which no order is required.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

node = helper.make_node("Squeeze", ["data"], ["squeezed"], axes=[2, 0])
data = helper.make_tensor_value_info("data", TensorProto.FLOAT, [1, 3, 1])
squeezed = helper.make_empty_tensor_value_info("squeezed")
squeezed.type.tensor_type.elem_type = TensorProto.FLOAT
graph = helper.make_graph([node], "graph", [data], [squeezed])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 7)], ir_version=3)
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
inferred = session.get_outputs()[0].shape
actual = list(session.run(None, {"data": np.zeros([1, 3, 1], np.float32)})[0].shape)
print(f"Squeeze-1 of [1, 3, 1] with the axes [2, 0]\n  expected the inferred shape {inferred}\n  actual   {actual}")
sys.exit(int(inferred != actual))
