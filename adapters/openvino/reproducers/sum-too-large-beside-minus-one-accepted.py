"""Lengths [8, -1] of 6 elements are accepted, and the first part has 8 elements: it is read from behind the end of the
data.

Page VariadicSplit-1, "Inputs", 3: the lengths add up to the dim along the axis; a -1 stands
for what the others leave, which is at least 0.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2, 6]))
lengths = np.array([8, -1])
try:
    split = ov.opset1.variadic_split(data, np.int64(1), lengths)
    compiled = ov.Core().compile_model(ov.Model(split.outputs(), [data], "split"), "CPU")
    outputs = compiled([np.zeros((2, 6), np.float32)])
    actual = [outputs[index].shape for index in range(len(outputs))]
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
