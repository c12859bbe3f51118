"""Constant lengths [2**32, -1] of 6 elements are accepted; the part is filled from far behind the data, and the
process dies.

Page VariadicSplit-1, "Inputs", 3: the lengths add up to the dim along the axis; -1 stands for what the others leave.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import sys

import numpy as np
import openvino as ov


def split_far_too_long() -> None:
    """Ask for a part of 16 GiB of a tensor of 24 bytes; the process does not outlive it."""
    data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([6]))
    try:
        split = ov.opset1.variadic_split(data, np.int64(0), np.array([2**32, -1]))
        print("actual   parts of the shapes", [str(part.partial_shape) for part in split.outputs()], flush=True)
        ov.Core().compile_model(ov.Model(split.outputs(), [data], "split"), "CPU")([np.zeros(6, np.float32)])
    except RuntimeError as error:
        print("actual   an error:", str(error).strip().splitlines()[-1], flush=True)


print("expected an error, and a process that ends with 0", flush=True)
child = os.fork()
if not child:
    split_far_too_long()
    os._exit(0)
status = os.waitpid(child, 0)[1]
print("actual   the process ended with", status)
sys.exit(status != 0)
