"""Squeeze with axes of float32 is accepted; with truth values, too, if they come at run time.

Page Squeeze-1, "Types": the axes are of an integer type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([1, 3, 1]))
axes = ov.op.Constant(np.array([0], np.float32))
model = ov.Model([ov.opset1.squeeze(data, axes)], [data], "squeeze")
try:
    compiled = ov.Core().compile_model(model, "CPU")
    actual = compiled([np.zeros([1, 3, 1], np.float32)])[0].shape
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-80:]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
