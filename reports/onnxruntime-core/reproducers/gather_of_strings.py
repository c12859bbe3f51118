"""ONNX Gather-13 of strings along axis 0: of each row only the first string is there, and all others are empty.

The page (Gather - 13, Summary) gathers "entries of the axis dimension of data"; along axis 0 an entry is a whole row.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

node = helper.make_node("Gather", ["data", "indices"], ["output_0"], axis=0)
data = helper.make_tensor_value_info("data", TensorProto.STRING, [2, 3])
output = helper.make_tensor_value_info("output_0", TensorProto.STRING, [2, 3])
indices = helper.make_tensor("indices", TensorProto.INT64, [2], [1, 0])
graph = helper.make_graph([node], "graph", [data], [output], [indices])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
given = np.array([["a", "b", "c"], ["d", "e", "f"]], object)
expected, actual = given[[1, 0]].tolist(), session.run(None, {"data": given})[0].tolist()
print(f"Gather of strings\n  expected {expected}\n  actual   {actual}")
sys.exit(int(actual != expected))
