"""A vector or a scalar cannot be transposed by a constant order whose type has 8 bits or fewer: inference is refused.

Page Transpose-1, "Inputs": the order is a 1-D tensor of type T_AXIS, which is any integer type; an order of [0] keeps a
vector as it is.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([4]))
refused = []
for dtype in (np.int64, np.int16, np.int8, np.uint8):
    order = ov.op.Constant(ov.Tensor(np.array([0], dtype)))
    model = ov.Model([ov.opset1.transpose(data, order)], [data], "transpose")
    try:
        actual = ov.Core().compile_model(model, "CPU")([np.arange(4, dtype=np.float32)])[0].tolist()
    except RuntimeError as error:
        actual = f"refused: {error}".strip().splitlines()[-1]
        refused.append(dtype)
    print(f"order of {np.dtype(dtype)}\n  expected [0.0, 1.0, 2.0, 3.0]\n  actual   {actual}")
sys.exit(bool(refused))
