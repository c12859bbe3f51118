"""Reshape to one dim, whose length comes at run time, ignores the length: 5 for 6 elements gives 6.

Page Reshape-1, "Short description": the volumes of input and output are equal; "Inputs": `shape` describes the output
shape.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2, 3]))
shape = ov.op.Parameter(ov.Type.i64, ov.PartialShape([1]))
model = ov.Model([ov.opset1.reshape(data, shape, True)], [data, shape], "reshape")
try:
    compiled = ov.Core().compile_model(model, "CPU")
    actual = compiled([np.zeros([2, 3], np.float32), np.array([5], np.int64)])[0].shape
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
