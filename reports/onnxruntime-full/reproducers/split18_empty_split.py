"""ONNX Split-18 with an empty list of lengths and no `num_outputs`: equal parts, as many as the node has outputs.

The page (Split - 18, `split` and Summary): the lengths add up to the dim along the axis, and nothing but them or
`num_outputs` tells the parts. With a constant list and known dims ONNX Runtime rejects the model, too.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper


def split(dims: list[int | None], *, is_constant: bool) -> list[tuple[int, ...]] | str:
    """Shapes of two outputs of six elements split by no lengths, or what ONNX Runtime says against it."""
    node = helper.make_node("Split", ["input", "split"], ["output_0", "output_1"])
    inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, dims)]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None]) for name in node.output]
    arrays = {"input": np.arange(6, dtype=np.float32)}
    constants = []
    if is_constant:
        constants.append(helper.make_tensor("split", TensorProto.INT64, [0], []))
    else:
        inputs.append(helper.make_tensor_value_info("split", TensorProto.INT64, [0]))
        arrays["split"] = np.zeros(0, dtype=np.int64)
    graph = helper.make_graph([node], "graph", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return [output.shape for output in session.run(None, arrays)]
    except Exception as error:  # noqa: BLE001
        return f"rejected: {error}"


deviates = False
for is_constant in (True, False):
    for dims in ([6], [None]):
        actual = split(dims, is_constant=is_constant)
        kind = "constant" if is_constant else "input"
        print(f"no lengths, as {kind}, model knows dims {dims}\n  expected rejected\n  actual   {actual}")
        deviates |= not isinstance(actual, str)
sys.exit(int(deviates))
