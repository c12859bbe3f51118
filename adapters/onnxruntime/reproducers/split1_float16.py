"""Split-1 and Pad-2 with float16 data: refused for a Cast that ONNX Runtime put into the graph itself.

The pages (Split - 1 and Pad - 2, Type Constraints) allow float16. For float and double, ONNX Runtime pads, and says of
Split-1 that it has no implementation; here it calls the models invalid.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import onnxruntime
from onnx import TensorProto, helper

CALLS = [("Split", 1, {"axis": 0, "split": [2, 4]}, 2), ("Pad", 2, {"pads": [1, 0]}, 1)]

is_invalid = False
for operator, version, attributes, count in CALLS:
    names = [f"output_{index}" for index in range(count)]
    node = helper.make_node(operator, ["input"], names, **attributes)
    inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT16, [6])]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT16, [None]) for name in names]
    graph = helper.make_graph([node], "graph", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=8)
    try:
        onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        actual = "accepted"
    except Exception as error:  # noqa: BLE001
        actual = str(error)
    print(f"{operator}-{version} of float16\n  expected accepted, or NOT_IMPLEMENTED\n  actual   {actual}")
    is_invalid |= "INVALID_GRAPH" in actual
sys.exit(int(is_invalid))
