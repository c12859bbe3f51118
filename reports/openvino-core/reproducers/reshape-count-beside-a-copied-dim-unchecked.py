"""Reshape of [2, 3] to [0, 6] with special_zero gives [2, 6]: the last six elements are read from behind the data.

Page Reshape-1, "Short description": the volume of the input tensor is equal to that of the output tensor. A copy of the
first dim leaves 3 elements for the second.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2, 3]))
try:
    node = ov.opset1.reshape(data, np.array([0, 6]), True)
    compiled = ov.Core().compile_model(ov.Model([node], [data], "reshape"), "CPU")
    actual = compiled([np.arange(6, dtype=np.float32).reshape(2, 3)])[0].tolist()
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
