"""Gather-1 with an axis that comes at run time, of data and indices of known shapes, ends the process or is rejected.

Page Gather-1, "Inputs": the axis is an input, which no sentence requires to be a constant.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: S603, T201  (a script that prints, and runs itself)

import subprocess
import sys

import numpy as np
import openvino as ov

expected = "[[4.0, 5.0], [0.0, 1.0]]"
if len(sys.argv) == 1:  # the call ends the process, so it runs in another one
    code = subprocess.run([sys.executable, __file__, "call"], check=False).returncode
    print(f"expected {expected}, and exit code 0")
    print("actual   exit code", code)
    sys.exit(int(code != 0))
data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([3, 2]))
indices = ov.op.Parameter(ov.Type.i64, ov.PartialShape([2]))
axis = ov.op.Parameter(ov.Type.i64, ov.PartialShape([]))
model = ov.Model([ov.opset1.gather(data, indices, axis)], [data, indices, axis], "gather")
compiled = ov.Core().compile_model(model, "CPU")
values = [np.arange(6, dtype=np.float32).reshape(3, 2), np.array([2, 0]), np.array(0)]
actual = str(compiled(values)[0].tolist())
print("outputs ", actual)
sys.exit(actual != expected)
