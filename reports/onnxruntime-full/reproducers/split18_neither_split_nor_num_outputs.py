"""ONNX Split-18 with neither `split` nor `num_outputs`, where the model does not know the dims.

The page (Split - 18, Summary): either one should be given. With known dims ONNX Runtime rejects the model, too.
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
for dims in ([6], [None]):
    actual = split(np.arange(6, dtype=np.float32), dims, 2)
    print(f"model knows dims {dims}\n  expected rejected\n  actual   {actual}")
    deviates |= not isinstance(actual, str)
sys.exit(int(deviates))
