"""ONNX Split-13 and 18 along an axis of more than 2**31 - 1 elements are refused: its length is read as a negative one.

The page (Split - 13, `split`): the lengths add up to the dim along the axis, as they do here. No data is needed: the
model is refused when it is loaded.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import onnxruntime
from onnx import TensorProto, helper

DIM, LENGTHS = 2**31 + 11, [2**31 + 1, 10]

deviates = False
for version in (13, 18):
    node = helper.make_node("Split", ["input", "split"], ["output_0", "output_1"], axis=0)
    inputs = [helper.make_tensor_value_info("input", TensorProto.UINT8, [DIM])]
    outputs = [helper.make_tensor_value_info(name, TensorProto.UINT8, [None]) for name in node.output]
    lengths = helper.make_tensor("split", TensorProto.INT64, [2], LENGTHS)
    graph = helper.make_graph([node], "graph", inputs, outputs, [lengths])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=8)
    try:
        onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        actual = "loaded"
    except Exception as error:  # noqa: BLE001
        actual = f"rejected: {error}"
    print(f"Split-{version} of {DIM} elements into {LENGTHS}\n  expected loaded\n  actual   {actual}")
    deviates |= actual != "loaded"
sys.exit(int(deviates))
