"""VariadicSplit into a constant length of more than 2**31 - 1 is refused: the plugin takes 2**31 - 1 instead.

Page VariadicSplit-1, "Inputs": split_lengths are of any integer type, and add up to the dim along the axis, as they do
here. No data is needed: the model is refused when it is compiled.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from openvino import opset1

DIM, LENGTHS = 2**31 + 11, [2**31 + 1, 10]

data = opset1.parameter([DIM], np.uint8, name="data")
split = opset1.variadic_split(data, opset1.constant(np.int64(0)), opset1.constant(np.array(LENGTHS, np.int64)))
try:
    ov.Core().compile_model(ov.Model(split.outputs(), [data]), "CPU")
    actual = "compiled"
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print(f"{DIM} elements into {LENGTHS}")
print("expected compiled")
print("actual  ", actual)
sys.exit(actual != "compiled")
