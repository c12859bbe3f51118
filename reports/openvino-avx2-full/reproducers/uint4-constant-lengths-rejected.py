"""Constant lengths [2, 8] of type u4 are rejected: their packed bytes are read as one element each, 0x82 as -126, and
so is memory behind them.

Page VariadicSplit-1, "Inputs", 3: split_lengths is one-dimensional and of T2; "Types": T2 are the integers.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2, 10]))
lengths = ov.op.Constant(ov.Type.u4, ov.Shape([2]), [2, 8])
try:
    split = ov.opset1.variadic_split(data, np.int64(1), lengths)
    compiled = ov.Core().compile_model(ov.Model(split.outputs(), [data], "split"), "CPU")
    outputs = compiled([np.zeros((2, 10), np.float32)])
    actual = [outputs[index].shape for index in range(len(outputs))]
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected [(2, 2), (2, 8)]")
print("actual  ", actual)
sys.exit(isinstance(actual, str))
