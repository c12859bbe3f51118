"""Concat of float8_e8m0 along an inner axis is refused if the tensors have more than six dims.

OpenVINO Concat-1, "Inputs": the tensors have any rank.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import openvino
from openvino import opset13 as ops

E8M0 = openvino.Type.f8e8m0

deviates = False
for rank in (3, 6, 7, 8):
    shape = [2, 4, 3] + [1] * (rank - 3)
    data = ops.parameter(shape, E8M0)
    model = openvino.Model([ops.result(ops.concat([data], 1))], [data])
    tensor = openvino.Tensor(E8M0, openvino.Shape(shape))
    try:
        request = openvino.Core().compile_model(model, "CPU").create_infer_request()
        request.set_input_tensor(tensor)
        request.infer()
        actual = list(request.get_output_tensor().shape)
    except Exception as error:  # noqa: BLE001
        actual = f"rejected: {error}"
    print(f"{rank} dims\n  expected {shape}\n  actual   {actual}")
    deviates |= actual != shape
sys.exit(int(deviates))
