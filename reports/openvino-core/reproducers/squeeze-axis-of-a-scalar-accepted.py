"""Squeeze of a scalar with the axis 0 is accepted.

Page Squeeze-1, "Inputs": an axis is in the range -R to R - 1, which is empty for a scalar.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([]))
axes = ov.op.Constant(np.array([0]))
model = ov.Model([ov.opset1.squeeze(data, axes)], [data], "squeeze")
try:
    compiled = ov.Core().compile_model(model, "CPU")
    actual = compiled([np.zeros([], np.float32)])[0].shape
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-80:]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
