"""Slice takes only the low 32 bits of a stop that comes at run time: INT64_MAX is -1, and drops the last element.

Page Slice-8, "Inputs": to slice to the end of a dimension of unknown size INT_MAX may be used. Starts, steps and axes
are cut in the same way; as a constant each of them is right.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([5]))
stop = ov.op.Parameter(ov.Type.i64, ov.PartialShape([1]))
node = ov.opset8.slice(data, np.array([1]), stop, np.array([1]), np.array([0]))
compiled = ov.Core().compile_model(ov.Model([node], [data, stop], "slice"), "CPU")
actual = compiled([np.arange(5, dtype=np.float32), np.array([2**63 - 1], np.int64)])[0].tolist()
print("expected [1.0, 2.0, 3.0, 4.0]")
print("actual  ", actual)
sys.exit(actual != [1.0, 2.0, 3.0, 4.0])
