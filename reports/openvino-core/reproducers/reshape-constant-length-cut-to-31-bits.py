"""Reshape of no elements to [0, 2**31] and [0, 2**32 + 1] gives [0, 2**31 - 1].

Page Reshape-1, "Inputs": `shape` describes the output shape, and has any supported integer type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

actual = []
for length in (2**31, 2**32 + 1):
    data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([0, 3]))
    node = ov.opset1.reshape(data, np.array([0, length], np.int64), False)
    compiled = ov.Core().compile_model(ov.Model([node], [data], "reshape"), "CPU")
    actual.append(tuple(compiled([np.zeros([0, 3], np.float32)])[0].shape))
expected = [(0, 2**31), (0, 2**32 + 1)]
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
