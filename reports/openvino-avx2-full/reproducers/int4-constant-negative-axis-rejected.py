"""A constant axis -1 of type i4 is rejected: it is read as 15.

Page VariadicSplit-1, "Inputs", 2: axis is a scalar, or of shape [1], and of T2; "Types": T2 are the integers.
Split-1 says and does the same.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2, 6]))
axis = ov.op.Constant(ov.Type.i4, ov.Shape([]), [-1])
try:
    split = ov.opset1.variadic_split(data, axis, np.array([2, 4]))
    compiled = ov.Core().compile_model(ov.Model(split.outputs(), [data], "split"), "CPU")
    outputs = compiled([np.zeros((2, 6), np.float32)])
    actual = [outputs[index].shape for index in range(len(outputs))]
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected [(2, 2), (2, 4)]")
print("actual  ", actual)
sys.exit(isinstance(actual, str))
