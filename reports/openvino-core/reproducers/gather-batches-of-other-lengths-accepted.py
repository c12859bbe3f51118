"""Gather of three batches of data with two of indices is accepted, and reads beyond the indices.

Page Gather-8, "Attributes": the first batch_dims dims of data and indices must be equal.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([-1, -1]))
indices = ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1, -1]))
axis = ov.opset8.constant(1, dtype=np.int64)
model = ov.Model([ov.opset8.gather(data, indices, axis, 1)], [data, indices], "gather")
try:
    compiled = ov.Core().compile_model(model, "CPU")
    actual = compiled([np.zeros([3, 3], np.float32), np.array([[1], [0]])])[0].shape
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-80:]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
