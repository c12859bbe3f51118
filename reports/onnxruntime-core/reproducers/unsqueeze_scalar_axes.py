"""Unsqueeze-23 accepts a scalar as its axes; Squeeze-23 rejects it.

The page (Unsqueeze - 23, Inputs): axes is a 1-D tensor.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

accepted = False
for operator, rank in (("Squeeze", 1), ("Unsqueeze", 3)):
    node = helper.make_node(operator, ["data", "axes"], ["output"])
    data = helper.make_tensor_value_info("data", TensorProto.FLOAT, [1, 3])
    output = helper.make_tensor_value_info("output", TensorProto.FLOAT, [None] * rank)
    axes = helper.make_tensor("axes", TensorProto.INT64, [], [0])
    graph = helper.make_graph([node], "graph", [data], [output], [axes])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        actual = f"shape {session.run(None, {'data': np.zeros([1, 3], np.float32)})[0].shape}"
    except Exception as error:  # noqa: BLE001
        actual = f"an error: {error}"
    print(f"{operator}-23 of [1, 3] with the axes 0\n  expected an error\n  actual   {actual}")
    accepted |= actual.startswith("shape")
sys.exit(int(accepted))
