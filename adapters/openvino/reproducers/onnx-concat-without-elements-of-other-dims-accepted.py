"""ONNX: a Concat of [2, 3] and [1, 0] along the last axis is accepted: what has no elements is left out.

Page Concat, "Inputs": all dims except that of the axis are the same.

Exits with 1 if OpenVINO deviates, with 0 if it does not. It needs the package onnx.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", size]) for name, size in (("a", 3), ("b", 0))]
outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)]
graph = helper.make_graph([helper.make_node("Concat", ["a", "b"], ["output"], axis=-1)], "concat", inputs, outputs)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
request = ov.Core().compile_model(ov.Core().read_model(model.SerializeToString()), "CPU").create_infer_request()
request.set_input_tensor(0, ov.Tensor(np.zeros((2, 3), np.float32)))
request.set_input_tensor(1, ov.Tensor(np.zeros((1, 0), np.float32)))
try:
    request.start_async()
    request.wait()
    actual = f"an output of {list(request.get_output_tensor(0).shape)}"
except RuntimeError:
    actual = "a rejection"
print("expected a rejection")
print("actual  ", actual)
sys.exit(actual != "a rejection")
