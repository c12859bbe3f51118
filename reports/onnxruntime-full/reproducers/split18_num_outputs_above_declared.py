"""ONNX Split-18 with `num_outputs` above the number of outputs that the node has: it is ignored.

The page (Split - 18, `num_outputs`): the number of outputs to split into. Where a node may leave out outputs, those
that it has are still the first of that many.
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
for length, num_outputs, declared, share in ((6, 3, 2, 2), (6, 2, 1, 3), (7, 3, 2, 3), (7, 3, 1, 3)):
    for dims in ([length], [None]):
        actual = split(np.arange(length, dtype=np.float32), dims, declared, num_outputs=num_outputs)
        expected = [(share,)] * declared
        print(f"{length} elements, num_outputs {num_outputs}, node has {declared}, model knows dims {dims}")
        print(f"  expected rejected, or {expected}\n  actual   {actual}")
        deviates |= not isinstance(actual, str) and actual != expected
sys.exit(int(deviates))
