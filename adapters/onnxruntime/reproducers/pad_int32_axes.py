"""Pad-18 refuses axes that are a constant of int32; axes that come at run time it takes.

The page (Pad - 18, Type Constraints): the axes are int32 or int64.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

EXPECTED = [0.0, 1.0, 2.0]

deviates = False
for dtype in (TensorProto.INT64, TensorProto.INT32):
    node = helper.make_node("Pad", ["data", "pads", "", "axes"], ["output"])
    data = helper.make_tensor_value_info("data", TensorProto.FLOAT, [2])
    output = helper.make_tensor_value_info("output", TensorProto.FLOAT, [3])
    constants = [
        helper.make_tensor("pads", TensorProto.INT64, [2], [1, 0]),
        helper.make_tensor("axes", dtype, [1], [0]),
    ]
    graph = helper.make_graph([node], "graph", [data], [output], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        actual = session.run(None, {"data": np.array([1, 2], np.float32)})[0].tolist()
    except Exception as error:  # noqa: BLE001
        actual = f"rejected: {error}"
    print(f"axes of {TensorProto.DataType.Name(dtype)}\n  expected {EXPECTED}\n  actual   {actual}")
    deviates |= actual != EXPECTED
sys.exit(int(deviates))
