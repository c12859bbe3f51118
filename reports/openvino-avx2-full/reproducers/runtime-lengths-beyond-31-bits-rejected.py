"""Of lengths that come at run time the lower 32 bits count: 3 and 2**32 + 2 of 2**32 + 5 rows are taken for 3 and 2.

Page VariadicSplit-1, "Inputs": split_lengths are of any integer type, and add up to the dim along the axis, as they do
here. No data is needed: the rows are empty.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from openvino import opset1

LENGTHS = [3, 2**32 + 2]

data = opset1.parameter([-1, 0], np.float32, name="data")
lengths = opset1.parameter([2], np.int64, name="lengths")
split = opset1.variadic_split(data, opset1.constant(np.int64(0)), lengths)
compiled = ov.Core().compile_model(ov.Model(split.outputs(), [data, lengths]), "CPU")
expected = [(length, 0) for length in LENGTHS]
try:
    outputs = compiled([np.zeros((sum(LENGTHS), 0), np.float32), np.array(LENGTHS)])
    actual = [outputs[index].shape for index in range(len(outputs))]
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
