"""Transpose with an empty order that comes at run time is rejected. As a constant it reverses the dims.

Page Transpose-1, "Inputs": "if an empty tensor is specified (shape [0]), then the axes will be inverted".


Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2, 3]))
order = ov.op.Parameter(ov.Type.i64, ov.PartialShape([0]))
model = ov.Model([ov.opset1.transpose(data, order)], [data, order], "transpose")
try:
    compiled = ov.Core().compile_model(model, "CPU")
    actual = compiled([np.zeros([2, 3], np.float32), np.array([], np.int64)])[0].shape
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected (3, 2)")
print("actual  ", actual)
sys.exit(actual != (3, 2))
