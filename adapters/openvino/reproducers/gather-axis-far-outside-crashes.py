"""Gather along an axis of INT32_MAX, which comes at run time, ends the process.

Page Gather-8, "Inputs": the axis is in the range [-r, r - 1], where r is the rank of the data.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([-1, -1]))
indices = ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1]))
axis = ov.op.Parameter(ov.Type.i32, ov.PartialShape([]))
model = ov.Model([ov.opset8.gather(data, indices, axis)], [data, indices, axis], "gather")


def gather() -> None:
    """The call, which the process may not outlive."""
    compiled = ov.Core().compile_model(model, "CPU")
    try:
        compiled([np.zeros([3, 2], np.float32), np.array([0]), np.array(2**31 - 1, np.int32)])
    except RuntimeError as error:
        print("actual  ", str(error).strip().splitlines()[-1], flush=True)
        os._exit(0)
    os._exit(1)


print("expected an error", flush=True)
child = os.fork()
if not child:
    gather()
status = os.waitpid(child, 0)[1]
if os.WIFSIGNALED(status):
    print("actual   the process died of signal", os.WTERMSIG(status))
sys.exit(status != 0)
