"""StridedSlice divides by zero if a stride of 0 comes at run time, and the process ends.

Page StridedSlice-1, "Detailed description": strides cannot contain any zeros.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import sys

import numpy as np
import openvino as ov


def slice_by_zero() -> None:
    """One call, whose stride is 0."""
    data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([4]))
    bounds = [ov.op.Parameter(ov.Type.i64, ov.PartialShape([1])) for _ in range(3)]
    model = ov.Model([ov.opset1.strided_slice(data, *bounds, [0], [0])], [data, *bounds], "slice")
    try:
        given = [np.array([value], np.int64) for value in (0, 4, 0)]
        ov.Core().compile_model(model, "CPU")([np.arange(4, dtype=np.float32), *given])
    except RuntimeError as error:
        print("actual   an error:", str(error).strip().splitlines()[-1])


print("expected an error", flush=True)
child = os.fork()
if not child:
    slice_by_zero()
    os._exit(0)
status = os.waitpid(child, 0)[1]
print("actual   the process ended with", status)
sys.exit(status != 0)
