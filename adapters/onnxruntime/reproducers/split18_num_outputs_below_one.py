"""ONNX Split-18 with `num_outputs` 0 or below -1, where the model does not know the dims: it is ignored.

The page (Split - 18, `num_outputs` and Outputs): the number of outputs, of which there is at least 1. With known dims
ONNX Runtime rejects the model, too.
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
for num_outputs in (0, -2):
    for dims in ([6], [None]):
        actual = split(np.arange(6, dtype=np.float32), dims, 1, num_outputs=num_outputs)
        print(f"num_outputs {num_outputs}, model knows dims {dims}\n  expected rejected\n  actual   {actual}")
        deviates |= not isinstance(actual, str)
sys.exit(int(deviates))
