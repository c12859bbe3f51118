"""Reshape with a constant shape of int4 or uint4 is rejected: its packed elements are read as bytes.

Page Reshape-1, "Types": T_SHAPE is any supported integer type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2, 3]))
shape = ov.op.Constant(ov.Tensor(np.array([0x23, 0x01], np.uint8), [3], ov.Type.i4))  # [3, 2, 1]
try:
    actual = str(ov.opset1.reshape(data, shape, True).get_output_partial_shape(0))
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected [3,2,1]")
print("actual  ", actual)
sys.exit(actual != "[3,2,1]")
