"""ONNX's shape inference of Pad reads constant axes of int32 as int64, and refuses them."""
# ruff: noqa: T201  (a script that prints)

import sys

import onnx
from onnx import TensorProto, helper

data = helper.make_tensor_value_info("data", TensorProto.FLOAT, [2])
output = helper.make_tensor_value_info("output", TensorProto.FLOAT, [3])
constants = [
    helper.make_tensor("pads", TensorProto.INT64, [2], [1, 0]),
    helper.make_tensor("axes", TensorProto.INT32, [1], [0]),
]
node = helper.make_node("Pad", ["data", "pads", "", "axes"], ["output"])
graph = helper.make_graph([node], "graph", [data], [output], constants)
try:
    onnx.checker.check_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]), full_check=True)
except onnx.shape_inference.InferenceError as error:
    print(error)
    sys.exit(1)
