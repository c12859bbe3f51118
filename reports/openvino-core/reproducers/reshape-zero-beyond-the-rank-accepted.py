"""Reshape of [0] to [2, 3, 0] with special_zero is accepted, if the shape comes at run time.

Page Reshape-1, "Detailed description": with special_zero, the index of a 0 cannot be larger than the rank of the data.
Here it is 2, and the rank is 1.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([0]))
shape = ov.op.Parameter(ov.Type.i64, ov.PartialShape([3]))
model = ov.Model([ov.opset1.reshape(data, shape, True)], [data, shape], "reshape")
try:
    compiled = ov.Core().compile_model(model, "CPU")
    actual = compiled([np.zeros([0], np.float32), np.array([2, 3, 0], np.int64)])[0].shape
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
