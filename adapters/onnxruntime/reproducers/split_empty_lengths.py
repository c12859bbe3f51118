"""ONNX Split-2 to Split-18 with an empty list of lengths: it is taken for none, and the data comes back whole.

The page: lengths of each output (Split - 2 and 11, `split`), which add up to the dim (Split - 13 and 18, `split`).
Known dims and a constant list, of which shape inference knows the sum, are rejected.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import onnxruntime
from onnx import AttributeProto, TensorProto, helper


def split(opset: int, dims: list[int | None]) -> list[tuple[int, ...]] | str:
    """Shapes of the outputs of one Split node, or what ONNX Runtime says against it."""
    node = helper.make_node("Split", ["input"], ["output"])
    initializers = []
    if opset < 13:
        node.attribute.append(helper.make_attribute("split", [], attr_type=AttributeProto.INTS))
    else:
        node.input.append("split")
        initializers.append(helper.make_tensor("split", TensorProto.INT64, [0], []))
    inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, dims)]
    outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, [None])]
    graph = helper.make_graph([node], "graph", inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return [output.shape for output in session.run(None, {"input": np.arange(6, dtype=np.float32)})]
    except Exception as error:  # noqa: BLE001
        return f"rejected: {error}"


results = {(opset, dim): split(opset, [dim]) for opset in (2, 11, 13, 18) for dim in (6, None)}
for (opset, dim), actual in results.items():
    print(f"Split-{opset}, model knows dims [{dim}]\n  expected rejected\n  actual   {actual}")
sys.exit(int(not all(isinstance(actual, str) for actual in results.values())))
