"""StridedSlice refuses masks of several lengths.

Page StridedSlice-1, "Detailed description": each mask can have a unique length.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2, 3]))
try:
    node = ov.opset1.strided_slice(
        data, np.array([1, 1]), np.array([2, 2]), np.array([1, 1]), [0, 1], [1], [0], [0], [0]
    )
    compiled = ov.Core().compile_model(ov.Model([node], [data], "slice"), "CPU")
    actual = compiled([np.arange(6, dtype=np.float32).reshape(2, 3)])[0].tolist()
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected [[3.0, 4.0]]")
print("actual  ", actual)
sys.exit(actual != [[3.0, 4.0]])
