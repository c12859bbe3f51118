"""ONNX's shape inference of Split keeps 32 bits of the length of the axis, so that 2**32 becomes 0."""
# ruff: noqa: T201  (a script that prints)

import sys

import onnx
from onnx import TensorProto, helper

long = 1 << 32
data = helper.make_tensor_value_info("input", TensorProto.FLOAT, [0, long])
outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [0, None]) for name in ("a", "b")]
split = helper.make_tensor("split", TensorProto.INT64, [2], [long - 1, 1])
node = helper.make_node("Split", ["input", "split"], ["a", "b"], axis=1)
graph = helper.make_graph([node], "graph", [data], outputs, [split])
try:
    onnx.checker.check_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]), full_check=True)
except onnx.shape_inference.InferenceError as error:
    print(error)
    sys.exit(1)
