"""ONNX Concat-1 with float16 data: refused for a Cast that ONNX Runtime put into the graph itself.

The page (Concat - 1, Type Constraints) allows float16. For float and double, ONNX Runtime says that it has no
implementation; here it calls the model invalid.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import onnxruntime
from onnx import TensorProto, helper

node = helper.make_node("Concat", ["inputs_0", "inputs_1"], ["output_0"], axis=1)
inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT16, [2, 2]) for name in ("inputs_0", "inputs_1")]
output = helper.make_tensor_value_info("output_0", TensorProto.FLOAT16, [None, None])
graph = helper.make_graph([node], "graph", inputs, [output])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 1)], ir_version=8)
try:
    onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    actual = "accepted"
except Exception as error:  # noqa: BLE001
    actual = str(error)
print(f"Concat-1 of float16\n  expected accepted, or NOT_IMPLEMENTED\n  actual   {actual}")
sys.exit(int("INVALID_GRAPH" in actual))
