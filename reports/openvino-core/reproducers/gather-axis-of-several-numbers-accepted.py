"""Gather with an axis of two numbers, which come at run time: the first one is taken.

Page Gather-8, "Inputs": the axis is a scalar or a tensor of shape [1].

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([-1, -1]))
indices = ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1]))
axis = ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1]))
model = ov.Model([ov.opset8.gather(data, indices, axis)], [data, indices, axis], "gather")
compiled = ov.Core().compile_model(model, "CPU")
print("expected an error")
try:
    output = compiled([np.zeros([3, 2], np.float32), np.array([0]), np.array([0, 1])])[0]
except RuntimeError as error:
    print("actual  ", str(error).splitlines()[0])
    sys.exit(0)
print("actual  ", output.tolist())
sys.exit(1)
