"""ONNX Expand of bfloat16 data with unknown dims to a shape of ones flushes subnormals and quiets NaNs.

Page Expand-13, "Description": the elements are repeated, here once. With known dims they come back as they are.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

bits = [0x0001, 0x8001, 0x7F81, 0x3F80]
inputs = [helper.make_tensor_value_info("input", TensorProto.BFLOAT16, ["n"])]
outputs = [helper.make_tensor_value_info("output", TensorProto.BFLOAT16, None)]
constants = [helper.make_tensor("shape", TensorProto.INT64, [1], [1])]
graph = helper.make_graph(
    [helper.make_node("Expand", ["input", "shape"], ["output"])], "graph", inputs, outputs, constants
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
core = ov.Core()
request = core.compile_model(core.read_model(model.SerializeToString()), "CPU").create_infer_request()
request.set_input_tensor(ov.Tensor(np.array(bits, np.uint16), [4], ov.Type.bf16))
request.infer()
actual = np.frombuffer(request.get_output_tensor().data.tobytes(), np.uint16).tolist()
print("expected", [hex(pattern) for pattern in bits])
print("actual  ", [hex(pattern) for pattern in actual])
sys.exit(actual != bits)
