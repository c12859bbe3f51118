"""A scalar cannot be cut along any axis; where the axis comes at run time as a list of unknown length, OpenVINO dies.

Page VariadicSplit-1, "Inputs": the axis lies between -rank and rank - 1, so there is none for a scalar.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import signal
import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([]))
axis = ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1]))
lengths = ov.op.Parameter(ov.Type.i64, ov.PartialShape([2]))
split = ov.opset1.variadic_split(data, axis, lengths)
model = ov.Model(split.outputs(), [data, axis, lengths], "split")


def split_a_scalar() -> None:
    """Ask for parts of a scalar; the process does not outlive it."""
    request = ov.Core().compile_model(model, "CPU").create_infer_request()
    try:
        request.infer([ov.Tensor(np.array(1, np.float32)), ov.Tensor(np.int64([0])), ov.Tensor(np.int64([2, 5]))])
    except RuntimeError as error:
        print("actual  ", error)


print("expected a refusal", flush=True)
child = os.fork()
if not child:
    signal.alarm(20)
    split_a_scalar()
    os._exit(0)
status = os.waitpid(child, 0)[1]
print("actual   the process ended with", status)
sys.exit(status != 0)
