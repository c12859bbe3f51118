"""Gather reads only the low 32 bits of an axis that comes at run time: 2**32 is taken for 0.

Page Gather-8, "Inputs": the axis is in the range -rank to rank - 1.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([-1, -1]))
indices = ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1]))
axis = ov.op.Parameter(ov.Type.i64, ov.PartialShape([]))
model = ov.Model([ov.opset8.gather(data, indices, axis)], [data, indices, axis], "gather")
try:
    compiled = ov.Core().compile_model(model, "CPU")
    actual = compiled([np.zeros([3, 2], np.float32), np.array([0]), np.array(2**32)])[0].shape
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-80:]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
