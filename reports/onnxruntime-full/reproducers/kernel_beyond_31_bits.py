"""Split of more than 2**31 - 1 elements along the axis is refused while it runs, even where there is no element at all.

The pages (Split - 11 and Split - 18, "Inputs") bound no dim of the input, and ONNX holds dims in 64 bits. No data is
needed: the rows are that long, and there are none.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

DIM = 2**32 + 6

deviates = False
for version, attributes in ((11, {}), (18, {"num_outputs": 2})):
    node = helper.make_node("Split", ["input"], ["output_0", "output_1"], axis=1, **attributes)
    inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, [0, DIM])]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None, None]) for name in node.output]
    graph = helper.make_graph([node], "graph", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=8)
    expected = [(0, DIM // 2)] * 2
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        actual = [output.shape for output in session.run(None, {"input": np.zeros((0, DIM), np.float32)})]
    except Exception as error:  # noqa: BLE001
        actual = f"rejected: {error}"
    print(f"Split-{version} of 0 x {DIM} elements\n  expected {expected}\n  actual   {actual}")
    deviates |= actual != expected
sys.exit(int(deviates))
