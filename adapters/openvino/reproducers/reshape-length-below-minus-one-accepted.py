"""A length of -2 in a shape that comes at run time is taken as -1.

Page Reshape-1, "Detailed description": an entry of the shape is -1, 0 or a length.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.i32, ov.PartialShape([4, 1, 3]))
shape = ov.op.Parameter(ov.Type.i64, ov.PartialShape([1]))
node = ov.opset1.reshape(data, shape, special_zero=False)
try:
    compiled = ov.Core().compile_model(ov.Model(node.outputs(), [data, shape], "reshape"), "CPU")
    actual = compiled([np.zeros((4, 1, 3), np.int32), np.array([-2], np.int64)])[0].shape
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
