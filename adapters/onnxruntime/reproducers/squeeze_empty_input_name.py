"""Squeeze is rejected if the input `axes` has an empty name instead of being left out.

ONNX IR, "Optional Inputs and Outputs": an optional input may be left out by an empty name, too.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

deviates = False
for given in (["data"], ["data", ""]):
    node = helper.make_node("Squeeze", given, ["squeezed"])
    data = helper.make_tensor_value_info("data", TensorProto.FLOAT, [1, 3])
    squeezed = helper.make_tensor_value_info("squeezed", TensorProto.FLOAT, [None])
    graph = helper.make_graph([node], "graph", [data], [squeezed])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        actual = str(session.run(None, {"data": np.zeros([1, 3], np.float32)})[0].shape)
    except Exception as error:  # noqa: BLE001
        actual = f"rejected: {error}"
    print(f"Squeeze-13 of the inputs {given}\n  expected (3,)\n  actual   {actual}")
    deviates |= actual != "(3,)"
sys.exit(int(deviates))
