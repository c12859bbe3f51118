"""Concat of one tensor of strings is rejected if its dim along the axis is 1.

Page Concat-1, "Inputs": one tensor is enough, of any supported type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.string, ov.PartialShape([1, 2]))
model = ov.Model([ov.opset1.concat([data], 0).output(0)], [data], "concat")
try:
    actual = ov.Core().compile_model(model, "CPU")([np.array([["a", "b"]])])[0].tolist()
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected [['a', 'b']]")
print("actual  ", actual, flush=True)
os._exit(actual != [["a", "b"]])  # releasing strings that share memory can end the process
