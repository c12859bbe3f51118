"""Gather without indices, or of data without elements, divides by zero and ends the process if the shapes are known.

Page Gather-8, "Outputs": the shape of the output is (0, 2) here. With unknown dims it is right.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: S603, T201  (a script that prints, and runs itself)

import subprocess
import sys

import numpy as np
import openvino as ov

expected = "(0, 2)"
if len(sys.argv) == 1:  # the call ends the process, so it runs in another one
    code = subprocess.run([sys.executable, __file__, "call"], check=False).returncode
    print(f"expected {expected}, and exit code 0")
    print("actual   exit code", code)
    sys.exit(int(code != 0))
data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([3, 2]))
indices = ov.op.Parameter(ov.Type.i64, ov.PartialShape([0]))
axis = ov.opset8.constant(0, dtype=np.int64)
model = ov.Model([ov.opset8.gather(data, indices, axis)], [data, indices], "gather")
compiled = ov.Core().compile_model(model, "CPU")
actual = str(compiled([np.zeros([3, 2], np.float32), np.zeros([0], np.int64)])[0].shape)
print("shape   ", actual)
sys.exit(actual != expected)
