"""ONNX Split-18 with `num_outputs` above the number of elements, and with an axis that has none.

The page (Split - 18, Summary and `num_outputs`): equal parts, the last one smaller; none must have an element.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper


def split(
    data: np.ndarray, dims: list[int | None], declared_outputs: int, **attributes: int
) -> list[tuple[int, ...]] | str:
    """Shapes of the outputs of one Split node, or what ONNX Runtime says against it."""
    names = [f"output_{index}" for index in range(declared_outputs)]
    node = helper.make_node("Split", ["input"], names, **attributes)
    inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, dims)]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * data.ndim) for name in names]
    graph = helper.make_graph([node], "graph", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return [output.shape for output in session.run(None, {"input": data})]
    except Exception as error:  # noqa: BLE001
        return f"rejected: {error}"


deviates = False
for length, count, expected in ((1, 2, [(1,), (0,)]), (0, 2, [(0,), (0,)]), (0, 1, [(0,)])):
    for dims in ([length], [None]):
        actual = split(np.arange(length, dtype=np.float32), dims, count, num_outputs=count)
        print(f"{length} into {count}, model knows dims {dims}\n  expected {expected}\n  actual   {actual}")
        deviates |= actual != expected
sys.exit(int(deviates))
