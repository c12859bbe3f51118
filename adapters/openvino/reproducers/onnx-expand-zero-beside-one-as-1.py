"""ONNX Expand to a constant length of 0 leaves a dim of 1, and rejects a dim of 0 beside a length of 1.

Page Expand-13, "Description": of two dims that are compared, one is 1, and the output has the other one: 0.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper


def shape_of(given: list[int], shape: list[int]) -> object:
    """The shape of the output, or the error."""
    inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, given)]
    outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)]
    constants = [helper.make_tensor("shape", TensorProto.INT64, [len(shape)], shape)]
    node = helper.make_node("Expand", ["input", "shape"], ["output"])
    graph = helper.make_graph([node], "graph", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    core = ov.Core()
    try:
        compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
        return compiled([np.zeros(given, np.float32)])[0].shape
    except RuntimeError as error:
        return "an error: " + " ".join(str(error).split())[-80:]


CALLS = [([1, 3], [0, 3], (0, 3)), ([0, 1], [1, 1], (0, 1))]
is_deviating = False
for given, shape, expected in CALLS:
    actual = shape_of(given, shape)
    print(given, shape, "expected", expected, "actual", actual)
    is_deviating |= actual != expected
sys.exit(is_deviating)
