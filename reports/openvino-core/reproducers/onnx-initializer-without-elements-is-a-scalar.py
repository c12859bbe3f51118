"""ONNX: an initializer of the shape [0, 3] comes out of an Identity as a scalar; one of strings is refused.

onnx.proto, TensorProto: the shape is that of `dims`, and a tensor without elements has no data.

Exits with 1 if OpenVINO deviates, with 0 if it does not. It needs the package onnx.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import openvino as ov
from onnx import TensorProto, helper


def through_openvino(element_type: int) -> list[int] | str:
    """The shape that comes out."""
    initializer = helper.make_tensor("data", element_type, [0, 3], [])
    output = helper.make_tensor_value_info("output", element_type, [None, None])
    graph = helper.make_graph([helper.make_node("Identity", ["data"], ["output"])], "g", [], [output], [initializer])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    try:
        request = ov.Core().compile_model(ov.Core().read_model(model.SerializeToString()), "CPU").create_infer_request()
    except RuntimeError as error:
        return f"refused: {str(error).strip().splitlines()[-1]}"
    request.start_async()
    request.wait()
    return list(request.get_output_tensor(0).shape)


deviates = False
for name, element_type in (("float", TensorProto.FLOAT), ("string", TensorProto.STRING)):
    actual = through_openvino(element_type)
    print(name)
    print("expected", [0, 3])
    print("actual  ", actual)
    deviates = deviates or actual != [0, 3]
sys.exit(deviates)
