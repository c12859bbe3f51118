"""Slice with a constant step of -2**32 + 1 reads memory far from the data, or ends the process.

Page Slice-8, "Detailed Description": the rules follow Python, where `data[3:-7:-n]` is `[data[3]]` for any `n` above 3.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import sys

import numpy as np
import openvino as ov


def is_right() -> bool:
    """Whether the one element is that at the start."""
    data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([6]))
    bounds = [ov.opset8.constant(np.array([value], np.int64)) for value in (3, -7, 1 - 2**32, 0)]
    compiled = ov.Core().compile_model(ov.Model([ov.opset8.slice(data, *bounds)], [data], "slice"), "CPU")
    actual = compiled([np.arange(6, dtype=np.float32)])[0].tolist()
    print("actual  ", actual, flush=True)
    return bool(actual == [3.0])


print("expected [3.0], and a process that ends with 0", flush=True)
child = os.fork()
if not child:
    os._exit(not is_right())
status = os.waitpid(child, 0)[1]
print("actual   the process ended with", status)
sys.exit(status != 0)
