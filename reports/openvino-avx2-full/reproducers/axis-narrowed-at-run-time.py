"""An axis that comes at run time is cut to 32 bits: 2**32 + 1 is taken for 1.

Page VariadicSplit-1, "Inputs", 2: axis lies between -rank and rank - 1. Split-1 says and does
the same.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2, 6]))
axis = ov.op.Parameter(ov.Type.i64, ov.PartialShape([]))
try:
    split = ov.opset1.variadic_split(data, axis, np.array([2, 4]))
    compiled = ov.Core().compile_model(ov.Model(split.outputs(), [data, axis], "split"), "CPU")
    outputs = compiled([np.zeros((2, 6), np.float32), np.int64(2**32 + 1)])
    actual = [outputs[index].shape for index in range(len(outputs))]
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
