"""Gather called again with another axis writes the larger output into the memory of the smaller one before.

Page Gather-8, "Outputs": the shape of the output follows from the axis.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import signal
import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([-1, -1]))
indices = ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1]))
axis = ov.op.Parameter(ov.Type.i64, ov.PartialShape([]))
model = ov.Model([ov.opset8.gather(data, indices, axis)], [data, indices, axis], "gather")


def gather_twice() -> None:
    """Two rows of three, and then 100,000 rows of two, which the process does not outlive."""
    compiled = ov.Core().compile_model(model, "CPU")
    values = [np.zeros([100_000, 3], np.float32), np.array([2, 0])]
    shapes = [compiled([*values, np.array(number)])[0].shape for number in (0, 1)]
    print("actual  ", shapes, flush=True)
    os._exit(shapes != [(2, 3), (100_000, 2)])


print("expected [(2, 3), (100000, 2)]", flush=True)
child = os.fork()
if not child:
    signal.alarm(20)
    gather_twice()
status = os.waitpid(child, 0)[1]
print("actual   the process ended with", status)
sys.exit(status != 0)
