"""Lengths that come at run time are cut to 32 bits: [2**32 + 2, 4] of 6 elements is taken for [2, 4].

Page VariadicSplit-1, "Inputs", 3: the lengths add up to the dim along the axis.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2, 6]))
axis = ov.op.Parameter(ov.Type.i64, ov.PartialShape([]))
lengths = ov.op.Parameter(ov.Type.i64, ov.PartialShape([2]))
try:
    split = ov.opset1.variadic_split(data, axis, lengths)
    compiled = ov.Core().compile_model(ov.Model(split.outputs(), [data, axis, lengths], "split"), "CPU")
    outputs = compiled([np.zeros((2, 6), np.float32), np.int64(1), np.array([2**32 + 2, 4])])
    actual = [outputs[index].shape for index in range(len(outputs))]
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
