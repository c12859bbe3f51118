"""Reshape reads only the low 32 bits of lengths that come at run time: 2**32 + 2 is taken for 2, and -2**32 - 1 for -1.

Page Reshape-1, "Detailed description": the values are -1, 0 and positive integers; "Short description": the volumes of
input and output are equal.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2, 3]))
shape = ov.op.Parameter(ov.Type.i64, ov.PartialShape([2]))
actual = "an error for each"
for first in (2**32 + 2, -(2**32) - 1):
    try:
        model = ov.Model([ov.opset1.reshape(data, shape, True)], [data, shape], "reshape")
        outputs = ov.Core().compile_model(model, "CPU")([np.zeros([2, 3], np.float32), np.array([first, 3], np.int64)])
        actual = outputs[0].shape
    except RuntimeError as error:
        print(first, "an error: " + str(error).strip().splitlines()[-1])
print("expected an error for each")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
