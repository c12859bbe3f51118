"""Gather of one batch: with a dim of 1 before the axis and constant indices, it ends the process.

Page Gather-8, "Detailed description": with batch_dims 1, each batch of the data has its own indices.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([1, 3]))
indices = ov.op.Constant(np.array([[1]], np.int64))
model = ov.Model([ov.opset8.gather(data, indices, np.int64(1), 1)], [data], "gather")


def gather() -> None:
    """The call, which the process may not outlive."""
    compiled = ov.Core().compile_model(model, "CPU")
    output = compiled([np.array([[5, 6, 7]], np.float32)])[0]
    print("actual  ", output.tolist(), flush=True)
    os._exit(output.tolist() != [[6.0]])


print("expected [[6.0]]", flush=True)
child = os.fork()
if not child:
    gather()
status = os.waitpid(child, 0)[1]
if os.WIFSIGNALED(status):
    print("actual   the process died of signal", os.WTERMSIG(status))
sys.exit(status != 0)
