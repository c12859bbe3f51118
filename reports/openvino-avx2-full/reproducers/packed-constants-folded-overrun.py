"""Folding a split of a constant of 4-bit elements writes behind the memory of its parts, and the process dies.

Page Split-1 (and VariadicSplit-1), "Outputs": each part is a slice of `data` along the axis; "Types": any supported
type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import signal
import sys

import numpy as np
import openvino as ov

packed = np.zeros(108, np.uint8)  # 216 elements
data = ov.op.Constant(ov.Tensor(packed, [2, 3, 6, 3, 2], ov.Type.u4))
split = ov.opset1.split(data, np.int64(2), 3)
model = ov.Model(split.outputs(), [], "split")

print("expected a process that ends with 0", flush=True)
child = os.fork()
if not child:
    signal.alarm(60)  # damaged memory can also hang
    for _ in range(300):  # what is overwritten differs from time to time
        ov.Core().compile_model(model, "CPU")
    os._exit(0)
status = os.waitpid(child, 0)[1]
print("actual   the process ended with", status)
sys.exit(status != 0)
