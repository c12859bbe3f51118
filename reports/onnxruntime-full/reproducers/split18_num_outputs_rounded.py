"""ONNX Split-18 with `num_outputs` of an axis longer than 2**24: other parts than those of the page, or none.

The page (Split - 18, `num_outputs`): parts of equal size, and a smaller last one where the axis cannot be split evenly.
The other axis is empty, so that the long one takes no memory.
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
for length, expected in (
    (33_554_438, [(16_777_219, 0), (16_777_219, 0)]),
    (16_777_227, [(5_592_409, 0)] * 3),
    (16_777_217, [(8_388_609, 0), (8_388_608, 0)]),
):
    actual = split(np.zeros((length, 0), dtype=np.float32), [None, 0], len(expected), num_outputs=len(expected))
    print(f"{length} elements into {len(expected)}\n  expected {expected}\n  actual   {actual}")
    deviates |= actual != expected
sys.exit(int(deviates))
