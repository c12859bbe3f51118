"""Gather with -3 batch dims of data and indices with rank 2 is accepted.

Page Gather-8, "Attributes": batch_dims is at least -min(data.rank, indices.rank).

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2, 2]))
indices = ov.opset8.constant(np.array([[1, 0], [0, 1]]))
axis = ov.opset8.constant(1, dtype=np.int64)
try:
    model = ov.Model([ov.opset8.gather(data, indices, axis, -3)], [data], "gather")
    actual = ov.Core().compile_model(model, "CPU")([np.zeros([2, 2], np.float32)])[0].shape
except RuntimeError as error:
    actual = "an error: " + " ".join(str(error).split())[-80:]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
