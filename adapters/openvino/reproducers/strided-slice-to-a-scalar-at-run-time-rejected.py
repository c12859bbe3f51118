"""StridedSlice refuses to remove all dims, if begins and ends come at run time.

Page StridedSlice-1, "Attributes": where shrink_axis_mask is 1, the dimension is deleted.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([4]))
bounds = [ov.op.Parameter(ov.Type.i64, ov.PartialShape([1])) for _ in range(3)]
node = ov.opset1.strided_slice(data, *bounds, [0], [0], [0], [1], [0])
try:
    compiled = ov.Core().compile_model(ov.Model([node], [data, *bounds], "slice"), "CPU")
    given = [np.array([value], np.int64) for value in (2, 2, 1)]
    actual = compiled([np.arange(4, dtype=np.float32), *given])[0].tolist()
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected 2.0")
print("actual  ", actual)
sys.exit(actual != 2.0)
