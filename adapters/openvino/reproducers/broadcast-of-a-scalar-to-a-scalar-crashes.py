"""Broadcast of a scalar to a constant shape without elements ends the process.

Page Broadcast-3, "Detailed description": a scalar has that shape already.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: S603, T201  (a script that prints, and runs itself)

import subprocess
import sys

import numpy as np
import openvino as ov
from openvino.utils.node_factory import NodeFactory

expected = "1.0"
if len(sys.argv) == 1:  # the call ends the process, so it runs in another one
    code = subprocess.run([sys.executable, __file__, "call"], check=False).returncode
    print("expected", expected, "and exit code 0")
    print("actual   exit code", code)
    sys.exit(int(code != 0))
data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([]))
target = ov.op.Constant(np.array([], np.int64))
inputs = [data.output(0), target.output(0)]
node = NodeFactory("opset3").create("Broadcast", inputs, {"mode": "numpy"})
model = ov.Model([node], [data], "broadcast")
compiled = ov.Core().compile_model(model, "CPU")
actual = str(compiled([np.array(1, np.float32)])[0].tolist())
print("actual  ", actual)
sys.exit(actual != expected)
