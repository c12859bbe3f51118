"""Squeeze reads only the low 32 bits of axes that come at run time: 2**32 is taken for 0.

Page Squeeze-1, "Inputs": an axis is in the range -R to R - 1.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([1, 3, 1]))
axes = ov.op.Parameter(ov.Type.i64, ov.PartialShape([1]))
model = ov.Model([ov.opset1.squeeze(data, axes)], [data, axes], "squeeze")
try:
    compiled = ov.Core().compile_model(model, "CPU")
    actual = compiled([np.zeros([1, 3, 1], np.float32), np.array([2**32])])[0].shape
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-80:]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
