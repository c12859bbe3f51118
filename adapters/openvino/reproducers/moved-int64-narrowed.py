"""The CPU plugin moves 64-bit integers through 32 bits: 2^40 + 5 becomes 5.

Page Transpose-1, "Types": T is any supported type; "Outputs": a tensor of type T.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

deviates = False
for dtype, element in ((np.int64, ov.Type.i64), (np.uint64, ov.Type.u64)):
    values = np.array([[2**40 + 5, 1], [2**31, 2]], dtype)
    data = ov.op.Parameter(element, ov.PartialShape([2, 2]))
    node = ov.opset1.transpose(data, np.array([1, 0]))
    actual = ov.Core().compile_model(ov.Model([node], [data], "transpose"), "CPU")([values])[0].tolist()
    expected = values.T.tolist()
    deviates = deviates or actual != expected
    print(f"{element}\n  expected {expected}\n  actual   {actual}")
sys.exit(deviates)
