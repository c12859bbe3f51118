"""A tensor without elements gets some by a Transpose that moves dims of 1 alone: the output holds what is in memory.

Page Transpose-1, "Detailed description": the length of dim i of the output is that of dim order[i] of the input.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2, 1, 0, 3]))
node = ov.opset1.transpose(data, np.array([0, 2, 3, 1]))
compiled = ov.Core().compile_model(ov.Model([node], [data], "transpose"), "CPU")
actual = compiled([np.zeros([2, 1, 0, 3], np.float32)])[0]
print("shape of the model's output", compiled.outputs[0].partial_shape)
print("expected (2, 0, 3, 1)")
print("actual  ", actual.shape, actual.tolist())
sys.exit(actual.shape != (2, 0, 3, 1))
