"""Squeeze with an axis at run time is rejected while it runs if the dim is not of length 1.

Page Squeeze-1, "Detailed description": a dim of another length than 1 is ignored and kept.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([1, 2, 3]))
axes = ov.op.Parameter(ov.Type.i64, ov.PartialShape([1]))
model = ov.Model([ov.opset1.squeeze(data, axes)], [data, axes], "squeeze")
try:
    compiled = ov.Core().compile_model(model, "CPU")
    actual = compiled([np.zeros([1, 2, 3], np.float32), np.array([1])])[0].shape
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-80:]
print("expected (1, 2, 3)")
print("actual  ", actual)
sys.exit(actual != (1, 2, 3))
