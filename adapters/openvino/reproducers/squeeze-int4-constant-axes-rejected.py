"""Squeeze and Unsqueeze with a constant axis -2 of int4 are rejected, as 14 is out of range.

Page Squeeze-1, "Types": the axes are of any supported integer type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([3, 1, 5]))
axes = ov.op.Constant(ov.Type.i4, ov.Shape([1]), [-2])
try:
    model = ov.Model([ov.opset1.squeeze(data, axes)], [data], "squeeze")
    actual = ov.Core().compile_model(model, "CPU")([np.zeros([3, 1, 5], np.float32)])[0].shape
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-80:]
print("expected (3, 5)")
print("actual  ", actual)
sys.exit(actual != (3, 5))
