"""Gather called again with another axis has an output of the shape of the call before.

Page Gather-8, "Outputs": the shape of the output follows from the axis.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([-1, -1]))
indices = ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1]))
axis = ov.op.Parameter(ov.Type.i64, ov.PartialShape([]))
model = ov.Model([ov.opset8.gather(data, indices, axis)], [data, indices, axis], "gather")
compiled = ov.Core().compile_model(model, "CPU")
values = [np.zeros([3, 2], np.float32), np.array([1, 0])]
shapes = [compiled([*values, np.array(number)])[0].shape for number in (0, 1)]
print("expected [(2, 2), (3, 2)]")
print("actual  ", shapes)
sys.exit(shapes != [(2, 2), (3, 2)])
