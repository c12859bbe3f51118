"""Pad, ScatterND and Expand accept arguments of another rank, and modes that their version does not have.

The pages: the mode wrap came with Pad-19, pads and shape are 1-D (Pad - 11 and Expand - 13, Inputs), and a reduction is
none, add or mul, from version 18 on also max or min (ScatterND - 16, Attributes).
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

DATA = np.array([[1, 2, 3]], np.float32)
PLACE = {"indices": np.array([[0, 1]]), "updates": np.array([7], np.float32)}
CALLS = [
    ("Pad", 13, {"pads": np.array([0, 1, 0, 0])}, {"mode": "wrap"}, set()),
    ("Pad", 25, {"pads": np.array([[0, 1, 0, 0]])}, {}, {"pads"}),
    ("ScatterND", 18, PLACE, {"reduction": "last"}, set()),
    ("Expand", 13, {"shape": np.array([[1, 3]])}, {}, set()),
    ("Expand", 13, {"shape": np.array(3)}, {}, set()),
]

accepted = False
for operator, version, others, attributes, at_run_time in CALLS:
    node = helper.make_node(operator, ["data", *others], ["output"], **attributes)
    tensors = {"data": DATA, **others}
    given = {name: tensor for name, tensor in tensors.items() if name == "data" or name in at_run_time}
    constants = [
        helper.make_tensor(name, helper.np_dtype_to_tensor_dtype(tensor.dtype), tensor.shape, tensor.flatten())
        for name, tensor in tensors.items()
        if name not in given
    ]
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(tensor.dtype), tensor.shape)
        for name, tensor in given.items()
    ]
    output = helper.make_tensor_value_info("output", TensorProto.FLOAT, [None, None])
    graph = helper.make_graph([node], "graph", inputs, [output], constants)
    opset = helper.make_opsetid("", version)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=8 if version < 25 else 12)
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        actual = session.run(None, given)[0].tolist()
        accepted = True
    except Exception as error:  # noqa: BLE001
        actual = f"an error: {error}"
    print(f"{operator}-{version} with {others}, {attributes}\n  expected an error\n  actual   {actual}")
sys.exit(int(accepted))
