"""Gather reads only the low 32 bits of indices that come at run time: 2**32 is taken for 0.

Page Gather-8, "Detailed description": where an index exceeds the range, the output is filled with zeros.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([-1]))
indices = ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1]))
axis = ov.opset8.constant(0, dtype=np.int64)
model = ov.Model([ov.opset8.gather(data, indices, axis)], [data, indices], "gather")
compiled = ov.Core().compile_model(model, "CPU")
actual = compiled([np.array([7, 8, 9], np.float32), np.array([2**32, 2**63 - 1])])[0].tolist()
print("expected [0.0, 0.0]")
print("actual  ", actual)
sys.exit(actual != [0.0, 0.0])
