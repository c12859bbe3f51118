"""Squeeze with empty `axes` removes each dim of length 1, and its shape inference says that none is removed.

The page (Squeeze - 13, Summary) says what happens without axes, and not what happens with an empty list. Whichever it
means, the shape that the session infers is that of the output.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

node = helper.make_node("Squeeze", ["data", "axes"], ["squeezed"])
data = helper.make_tensor_value_info("data", TensorProto.FLOAT, [1, 3])
squeezed = helper.make_empty_tensor_value_info("squeezed")
squeezed.type.tensor_type.elem_type = TensorProto.FLOAT
axes = helper.make_tensor("axes", TensorProto.INT64, [0], [])
graph = helper.make_graph([node], "graph", [data], [squeezed], [axes])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
inferred = session.get_outputs()[0].shape
actual = list(session.run(None, {"data": np.zeros([1, 3], np.float32)})[0].shape)
print(f"Squeeze of [1, 3] with empty axes\n  expected the inferred shape {inferred}\n  actual   {actual}")
sys.exit(int(inferred != actual))
