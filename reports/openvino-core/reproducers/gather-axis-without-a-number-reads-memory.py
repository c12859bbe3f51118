"""Gather with an axis without elements, which comes at run time: the axis is read all the same.

Page Gather-8, "Inputs": the axis is a scalar or a tensor of shape [1].

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([-1, -1]))
indices = ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1]))
axis = ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1]))
model = ov.Model([ov.opset8.gather(data, indices, axis)], [data, indices, axis], "gather")


def gather() -> None:
    """The call, which the process may not outlive."""
    compiled = ov.Core().compile_model(model, "CPU")
    try:
        output = compiled([np.zeros([3, 2], np.float32), np.array([0]), np.array([], np.int64)])[0]
    except RuntimeError as error:
        print("actual  ", str(error).splitlines()[0], flush=True)
        os._exit(0)
    print("actual  ", output.tolist(), flush=True)
    os._exit(1)


print("expected an error", flush=True)
child = os.fork()
if not child:
    gather()
status = os.waitpid(child, 0)[1]
if os.WIFSIGNALED(status):
    print("actual   the process died of signal", os.WTERMSIG(status))
sys.exit(status != 0)
