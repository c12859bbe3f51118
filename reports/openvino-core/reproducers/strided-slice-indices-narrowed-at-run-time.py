"""StridedSlice takes only the low 32 bits of an end that comes at run time: INT64_MAX is -1, and
drops the last element.

Page StridedSlice-1, "Inputs": out-of-bounds values are silently clamped.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([5]))
end = ov.op.Parameter(ov.Type.i64, ov.PartialShape([1]))
node = ov.opset1.strided_slice(data, np.array([1]), end, np.array([1]), [0], [0])
compiled = ov.Core().compile_model(ov.Model([node], [data, end], "slice"), "CPU")
actual = compiled([np.arange(5, dtype=np.float32), np.array([2**63 - 1], np.int64)])[0].tolist()
print("expected [1.0, 2.0, 3.0, 4.0]")
print("actual  ", actual)
sys.exit(actual != [1.0, 2.0, 3.0, 4.0])
