"""A constant that is an output, with no operator in between, loses what 32 bits do not hold, or its subnormals.

Page Constant-1, "Outputs": the value, with type and shape as they are given.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

CONSTANTS = [
    np.array([0xFFFFFFFF, 0x80000000, 1], np.uint32),
    np.array([2**40 + 5, -(2**33), 1], np.int64),
    np.array([2**40 + 5, 2**63, 1], np.uint64),
    np.array([1e300, 0.1, 5e-324], np.float64),
    np.array([1e-45, -1e-40, 1], np.float32),
]


def through_openvino(values: np.ndarray) -> np.ndarray:
    """The outputs of a model that is this constant alone."""
    model = ov.Model([ov.op.Constant(values).output(0)], [], "constant")
    request = ov.Core().compile_model(model, "CPU").create_infer_request()
    request.start_async()
    request.wait()
    return request.get_output_tensor(0).data.copy()


deviates = False
for expected in CONSTANTS:
    actual = through_openvino(expected)
    print(expected.dtype)
    print("expected", expected.tolist())
    print("actual  ", actual.tolist())
    deviates = deviates or actual.tobytes() != expected.tobytes()
sys.exit(deviates)
