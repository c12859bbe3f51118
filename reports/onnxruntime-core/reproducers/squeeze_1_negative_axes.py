"""Squeeze-1 and Unsqueeze-1 accept axes below 0, which they count from the end.

The pages (Squeeze - 1 and Unsqueeze - 1, Attributes): axes are non-negative. Version 11 added negative ones.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

accepted = False
for operator, rank in (("Squeeze", 1), ("Unsqueeze", 3)):
    node = helper.make_node(operator, ["data"], ["output"], axes=[-1])
    data = helper.make_tensor_value_info("data", TensorProto.FLOAT, [3, 1])
    output = helper.make_tensor_value_info("output", TensorProto.FLOAT, [None] * rank)
    graph = helper.make_graph([node], "graph", [data], [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 7)], ir_version=3)
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        actual = f"shape {session.run(None, {'data': np.zeros([3, 1], np.float32)})[0].shape}"
    except Exception as error:  # noqa: BLE001
        actual = f"an error: {error}"
    print(f"{operator}-1 of [3, 1] with the axes [-1]\n  expected an error\n  actual   {actual}")
    accepted |= actual.startswith("shape")
sys.exit(int(accepted))
