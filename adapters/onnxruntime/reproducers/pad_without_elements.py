"""Pad refuses a scalar, which it leaves as it is, and in the modes edge, reflect and wrap outputs without elements.

The page (Pad - 19, Inputs): the data is a tensor, of no certain rank, and a negative number removes elements.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

CALLS = [
    ("a scalar", "constant", [], [], []),
    ("no elements", "wrap", [0, 2], [0, 1, 0, 0], [0, 3]),
    ("the only element removed", "edge", [1], [-1, 0], [0]),
]

deviates = False
for what, mode, shape, pads, expected in CALLS:
    node = helper.make_node("Pad", ["data", "pads"], ["output"], mode=mode)
    data = helper.make_tensor_value_info("data", TensorProto.FLOAT, shape)
    output = helper.make_tensor_value_info("output", TensorProto.FLOAT, expected)
    constant = helper.make_tensor("pads", TensorProto.INT64, [len(pads)], pads)
    graph = helper.make_graph([node], "graph", [data], [output], [constant])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        actual = list(session.run(None, {"data": np.zeros(shape, np.float32)})[0].shape)
    except Exception as error:  # noqa: BLE001
        actual = f"rejected: {error}"
    print(f"{what}, in the mode {mode}\n  expected the shape {expected}\n  actual   {actual}")
    deviates |= actual != expected
sys.exit(int(deviates))
