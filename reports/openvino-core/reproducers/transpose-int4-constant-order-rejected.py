"""Transpose with a constant order of int4 or uint4 is rejected: its packed elements are read as bytes.

Page Transpose-1, "Types": T_AXIS is any integer type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2, 3, 4]))
order = ov.op.Constant(ov.Tensor(np.array([0x02, 0x01], np.uint8), [3], ov.Type.i4))  # [2, 0, 1]
try:
    actual = str(ov.opset1.transpose(data, order).get_output_partial_shape(0))
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected [4,2,3]")
print("actual  ", actual)
sys.exit(actual != "[4,2,3]")
