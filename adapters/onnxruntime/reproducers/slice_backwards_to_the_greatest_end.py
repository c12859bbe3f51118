"""Slice backwards to the greatest int64 or int32: all elements down to the first, where none is due.

The pages of ONNX Slice 10, 11 and 13 (`ends`): an end beyond the dim is clamped to the dim, and backwards no element
lies between a start and an end behind it. One less than the greatest number gives none.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper


def sliced(end: int, dtype: type) -> list[float]:
    """Elements of [0, 1, 2, 3] from the last one backwards to an end."""
    given = {"starts": 3, "ends": end, "axes": 0, "steps": -1}
    node = helper.make_node("Slice", ["data", *given], ["output"])
    graph = helper.make_graph(
        [node],
        "slice",
        [helper.make_tensor_value_info("data", TensorProto.FLOAT, ["n"])],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, ["m"])],
        [numpy_helper.from_array(np.array([number], dtype), name) for name, number in given.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    found: list[float] = session.run(None, {"data": np.arange(4, dtype=np.float32)})[0].tolist()
    return found


deviates = False
for end, dtype in ((2**63 - 1, np.int64), (2**31 - 1, np.int64), (2**31 - 1, np.int32), (2**63 - 2, np.int64)):
    actual = sliced(end, dtype)
    deviates = deviates or actual != []
    print(f"end {end} of {dtype.__name__}\n  expected []\n  actual   {actual}")
sys.exit(int(deviates))
