"""ONNX's shape inference of Squeeze 1 drops only the first of axes that are not sorted."""
# ruff: noqa: T201  (a script that prints)

import sys

import onnx
from onnx import TensorProto, helper

data = helper.make_tensor_value_info("data", TensorProto.FLOAT, [1, 3, 1])
output = helper.make_tensor_value_info("squeezed", TensorProto.FLOAT, [3])
node = helper.make_node("Squeeze", ["data"], ["squeezed"], axes=[2, 0])
graph = helper.make_graph([node], "graph", [data], [output])
try:
    onnx.checker.check_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 1)]), full_check=True)
except onnx.shape_inference.InferenceError as error:
    print(error)
    sys.exit(1)
