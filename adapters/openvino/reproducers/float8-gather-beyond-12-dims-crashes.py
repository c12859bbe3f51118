"""A Gather of constant float8 data whose output has 13 dims ends the process with SIGFPE while it is compiled.

Page Gather-8: the output has rank(data) + rank(indices) - 1 dims. The same data at run time is right.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: S603, T201  (a script that prints and starts a process that ends by a signal)

import subprocess
import sys

MODEL = """
import numpy as np
import openvino as ov
data = ov.op.Constant(ov.Tensor(np.zeros(6, np.uint8), [1, 2, 1, 1, 1, 3, 1, 1, 1], ov.Type.f8e5m2), False)
node = ov.opset8.gather(data, np.zeros((1, 2, 1, 1, 1), np.int64), np.int32(0))
print(ov.Core().compile_model(ov.Model([node], [], "gather"), "CPU").output(0).shape)
"""
done = subprocess.run([sys.executable, "-c", MODEL], stdout=subprocess.PIPE, text=True, check=False)
print("expected [1,2,1,1,1,2,1,1,1,3,1,1,1]")
print("actual  ", done.stdout.strip() or f"process ended with {done.returncode}")
sys.exit(done.returncode < 0)
