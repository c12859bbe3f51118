"""Gather is rejected if the axis comes at run time and the shapes of data and indices are known.

Page Gather-8, "Inputs": the axis is an input, which no sentence requires to be a constant.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([3, 2]))
indices = ov.op.Parameter(ov.Type.i64, ov.PartialShape([2]))
axis = ov.op.Parameter(ov.Type.i64, ov.PartialShape([]))
model = ov.Model([ov.opset8.gather(data, indices, axis)], [data, indices, axis], "gather")
try:
    compiled = ov.Core().compile_model(model, "CPU")
    values = [np.arange(6, dtype=np.float32).reshape(3, 2), np.array([2, 0]), np.array(0)]
    actual = str(compiled(values)[0].tolist())
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-80:]
print("expected [[4.0, 5.0], [0.0, 1.0]]")
print("actual  ", actual)
sys.exit(actual != "[[4.0, 5.0], [0.0, 1.0]]")
