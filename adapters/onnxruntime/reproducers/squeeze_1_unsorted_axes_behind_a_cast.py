"""Squeeze-1 with the axes [2, 0] behind a Relu of float16: the declared shape is replaced by a wrong one.

The page (Squeeze - 1, Attributes): axes is a list of dims, of which no order is required.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

nodes = [helper.make_node("Relu", ["data"], ["positive"]), helper.make_node("Squeeze", ["positive"], ["squeezed"])]
nodes[1].attribute.append(helper.make_attribute("axes", [2, 0]))
data = helper.make_tensor_value_info("data", TensorProto.FLOAT16, [1, 3, 1])
squeezed = helper.make_tensor_value_info("squeezed", TensorProto.FLOAT16, [3])
graph = helper.make_graph(nodes, "graph", [data], [squeezed])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 7)], ir_version=3)
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
inferred = session.get_outputs()[0].shape
actual = list(session.run(None, {"data": np.zeros([1, 3, 1], np.float16)})[0].shape)
print(f"Squeeze-1 of [1, 3, 1] with the axes [2, 0]\n  expected the inferred shape {actual}\n  actual   {inferred}")
sys.exit(int(inferred != actual))
