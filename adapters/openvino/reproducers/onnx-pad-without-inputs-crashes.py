"""A Pad without inputs ends the process while the model is read, instead of being refused.

Page Pad-11, "Inputs": data and pads are required.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import sys

import openvino as ov
from onnx import TensorProto, helper


def read() -> None:
    """A model of one node."""
    node = helper.make_node("Pad", [], ["output"])
    outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)]
    graph = helper.make_graph([node], "graph", [], outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=6)
    try:
        ov.Core().read_model(model.SerializeToString())
    except RuntimeError as error:
        print("actual   an error:", str(error).strip().splitlines()[-1])


print("expected an error", flush=True)
child = os.fork()
if not child:
    read()
    os._exit(0)
status = os.waitpid(child, 0)[1]
print("actual   the process ended with", status)
sys.exit(status != 0)
