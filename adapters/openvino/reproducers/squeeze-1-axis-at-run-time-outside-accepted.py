"""Squeeze-1 accepts an axis far below the range that comes at run time.

Page Squeeze-1, "Inputs": an axis is between -rank and rank - 1.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from openvino import opset1

data = opset1.parameter([7, 7], np.float32)
axes = opset1.parameter([1], np.int64)
expected = "an error"
try:
    compiled = ov.Core().compile_model(ov.Model([opset1.squeeze(data, axes)], [data, axes]), "CPU")
    actual = str(compiled([np.ones((7, 7), np.float32), np.array([-4])])[0].shape)
except RuntimeError as error:
    actual = "an error"
    print(" ".join(str(error).split())[-120:])
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
