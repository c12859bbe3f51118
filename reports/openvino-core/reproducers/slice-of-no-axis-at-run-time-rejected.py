"""Slice refuses starts, stops and steps without elements that come at run time.

Page Slice-8, "Inputs": an axis that is not named is output in full, so a Slice that names none outputs the data.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2]))
bounds = [ov.op.Parameter(ov.Type.i64, ov.PartialShape([0])) for _ in range(3)]
model = ov.Model([ov.opset8.slice(data, *bounds)], [data, *bounds], "slice")
try:
    compiled = ov.Core().compile_model(model, "CPU")
    actual = compiled([np.arange(2, dtype=np.float32), *[np.zeros(0, np.int64)] * 3])[0].tolist()
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected [0.0, 1.0]")
print("actual  ", actual)
sys.exit(actual != [0.0, 1.0])
