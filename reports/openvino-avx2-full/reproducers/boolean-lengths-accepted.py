"""Lengths of type boolean are accepted when they come at run time; constant ones are refused.

Page VariadicSplit-1, "Inputs", 3: split_lengths is one-dimensional and of T2; "Types": T2 are the integers.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2, 6]))
lengths = ov.op.Parameter(ov.Type.boolean, ov.PartialShape([2]))
try:
    split = ov.opset1.variadic_split(data, np.int64(0), lengths)
    compiled = ov.Core().compile_model(ov.Model(split.outputs(), [data, lengths], "split"), "CPU")
    outputs = compiled([np.zeros((2, 6), np.float32), np.array([True, True])])
    actual = [outputs[index].shape for index in range(len(outputs))]
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
