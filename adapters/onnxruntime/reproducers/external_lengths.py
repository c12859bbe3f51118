"""Split, Reshape, Pad and others are refused where their lengths, axes or pads lie in a file beside the model.

ONNX IR, "External Tensor Data": the raw data of a constant tensor may lie in a file of its own, of any tensor.
"""
# ruff: noqa: T201  (a script that prints)

import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import set_external_data

PARTS = [[0.0, 1.0], [2.0, 3.0, 4.0, 5.0]]
CALLS = [
    ("Split", 13, [6], [2, 4], PARTS),
    ("Split", 18, [6], [2, 4], PARTS),
    ("Reshape", 25, [4], [2, 2], [[[0.0, 1.0], [2.0, 3.0]]]),
    ("Squeeze", 25, [2, 1], [1], [[0.0, 1.0]]),
    ("Unsqueeze", 25, [2], [0], [[[0.0, 1.0]]]),
    ("Expand", 13, [2], [1, 2], [[[0.0, 1.0]]]),
    ("Pad", 25, [2], [0, 1], [[0.0, 1.0, 0.0]]),
]

deviates = False
for operator, version, shape, numbers, expected in CALLS:
    values = np.array(numbers, np.int64)
    constant = numpy_helper.from_array(values, "numbers")
    set_external_data(constant, "numbers.bin", offset=0, length=values.nbytes)
    constant.ClearField("raw_data")
    names = [f"output_{index}" for index in range(len(expected))]
    node = helper.make_node(operator, ["data", "numbers"], names)
    inputs = [helper.make_tensor_value_info("data", TensorProto.FLOAT, shape)]
    outputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * np.ndim(part))
        for name, part in zip(names, expected, strict=True)
    ]
    graph = helper.make_graph([node], "graph", inputs, outputs, [constant])
    opset = helper.make_opsetid("", version)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=8 if version < 25 else 12)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "model.onnx"
        (path.parent / "numbers.bin").write_bytes(values.tobytes())
        path.write_bytes(model.SerializeToString())
        onnx.checker.check_model(path)
        try:
            session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
            data = np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)
            actual = [output.tolist() for output in session.run(None, {"data": data})]
        except Exception as error:  # noqa: BLE001
            actual = f"rejected: {error}"
    print(f"{operator}-{version}\n  expected {expected}\n  actual   {actual}")
    deviates |= actual != expected
sys.exit(int(deviates))
