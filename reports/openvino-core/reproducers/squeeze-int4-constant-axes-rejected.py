"""Squeeze with a constant axis -2 of int4, or with the constant axes 0 and 2 of int4 or uint4, is rejected.

The errors call the axes 14 and 32. Page Squeeze-1, "Types": the axes are of any supported integer type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

CALLS = [
    (ov.Type.i4, [3, 1, 5], [-2], (3, 5)),
    (ov.Type.i4, [1, 3, 1], [0, 2], (3,)),
    (ov.Type.u4, [1, 3, 1], [0, 2], (3,)),
]

deviates = False
for kind, shape, numbers, expected in CALLS:
    data = ov.op.Parameter(ov.Type.f32, ov.PartialShape(shape))
    axes = ov.op.Constant(kind, ov.Shape([len(numbers)]), numbers)
    try:
        model = ov.Model([ov.opset1.squeeze(data, axes)], [data], "squeeze")
        actual = ov.Core().compile_model(model, "CPU")([np.zeros(shape, np.float32)])[0].shape
    except RuntimeError as error:
        actual = "an error: " + " ".join(str(error).split())[-80:]
    print(f"{kind} {numbers}\n  expected {expected}\n  actual   {actual}")
    deviates |= actual != expected
sys.exit(int(deviates))
