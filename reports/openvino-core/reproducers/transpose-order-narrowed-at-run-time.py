"""Transpose reads only the low 32 bits of an order that comes at run time: 2**32 + 1 is taken for 1.

Page Transpose-1, "Inputs": the order must contain every integer in the range [0, n-1].


Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2, 3]))
order = ov.op.Parameter(ov.Type.i64, ov.PartialShape([2]))
model = ov.Model([ov.opset1.transpose(data, order)], [data, order], "transpose")
try:
    compiled = ov.Core().compile_model(model, "CPU")
    actual = compiled([np.zeros([2, 3], np.float32), np.array([4294967297, 0], np.int64)])[0].shape
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
