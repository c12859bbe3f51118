"""Concat and Relu alone cut 64-bit integers to 32 bits and take float64 through float32, as all of the CPU plugin does.

Pages Concat-1, "Outputs": the inputs one after the other; ReLU-1: elements above 0 stay as they are.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov


def through_openvino(operator: str, values: np.ndarray) -> np.ndarray:
    """What one operator makes of an input."""
    data = ov.op.Parameter(ov.Type(values.dtype), ov.PartialShape(values.shape))
    node = ov.opset1.concat([data], 0) if operator == "Concat" else ov.opset1.relu(data)
    model = ov.Model([node.output(0)], [data], operator)
    request = ov.Core().compile_model(model, "CPU").create_infer_request()
    request.set_input_tensor(0, ov.Tensor(values))
    request.start_async()
    request.wait()
    return request.get_output_tensor(0).data.copy()


deviates = False
for operator, expected in (
    ("Concat", np.array([2**40 + 5, -(2**33)], np.int64)),
    ("Concat", np.array([2**40 + 5, 2**63], np.uint64)),
    ("Concat", np.array([1e300, 0.1, 5e-324], np.float64)),
    ("Relu", np.array([1e300, 0.1, 5e-324], np.float64)),
):
    actual = through_openvino(operator, expected)
    print(operator, expected.dtype)
    print("expected", expected.tolist())
    print("actual  ", actual.tolist())
    deviates = deviates or actual.tobytes() != expected.tobytes()
sys.exit(deviates)
