"""StridedSlice refuses a new axis behind an ellipsis, if begins and ends come at run time.

Page StridedSlice-1, "Detailed description": the ellipsis skips dims, and new_axis_mask inserts one. As constants the
same begins and ends are right.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2, 2, 3]))
bounds = [ov.op.Parameter(ov.Type.i64, ov.PartialShape([3])) for _ in range(3)]
zeros = [0, 0, 0]
node = ov.opset1.strided_slice(data, *bounds, zeros, zeros, [0, 1, 0], zeros, [1, 0, 0])
try:
    compiled = ov.Core().compile_model(ov.Model([node], [data, *bounds], "slice"), "CPU")
    given = [np.array(values, np.int64) for values in ([1, 1, 1], [2, 2, 2], [1, 1, 1])]
    actual = compiled([np.arange(12, dtype=np.float32).reshape(2, 2, 3), *given])[0].shape
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected (2, 2, 1, 1)")
print("actual  ", actual)
sys.exit(actual != (2, 2, 1, 1))
