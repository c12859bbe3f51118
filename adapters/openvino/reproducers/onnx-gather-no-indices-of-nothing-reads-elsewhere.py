"""ONNX: a Gather of no elements by constant indices without elements returns a number from other memory.

Page Gather, "Summary": the output has the dims of the indices in the place of the axis, here [0].

Exits with 1 if OpenVINO deviates, with 0 if it does not. It needs the package onnx.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

graph = helper.make_graph(
    [helper.make_node("Gather", ["data", "indices"], ["output"])],
    "gather",
    [helper.make_tensor_value_info("data", TensorProto.FLOAT, ["n"])],
    [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)],
    [helper.make_tensor("indices", TensorProto.INT64, [0], [])],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
request = ov.Core().compile_model(ov.Core().read_model(model.SerializeToString()), "CPU").create_infer_request()
request.set_input_tensor(0, ov.Tensor(np.empty(0, np.float32)))
request.start_async()
request.wait()
actual = list(request.get_output_tensor(0).shape)
print("expected shape [0]")
print("actual shape  ", actual)
sys.exit(actual != [0])
