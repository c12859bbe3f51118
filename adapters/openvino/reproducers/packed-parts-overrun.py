"""Parts of u2 are written beyond their memory when a compiled model is called with a second shape: the process dies.

Page VariadicSplit-1 (and Split-1), "Types": T1 is any supported type; "Outputs": the parts of `data`, of the same
type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import signal
import sys

import numpy as np
import openvino as ov


def split_twice() -> None:
    """Split [3, 24] elements and then [2, 24] with one model; the process does not outlive it."""
    data = ov.op.Parameter(ov.Type.u2, ov.PartialShape([-1, -1]))
    split = ov.opset1.variadic_split(data, np.int64(1), np.array([5, 8, 11]))
    request = ov.Core().compile_model(ov.Model(split.outputs(), [data], "split"), "CPU").create_infer_request()
    for rows in (3, 2):
        request.set_input_tensor(ov.Tensor(np.full(rows * 6, 0x1B, np.uint8), [rows, 24], ov.Type.u2))
        request.start_async()
        request.wait()
        print("actual  ", [request.get_output_tensor(index).data.tolist() for index in range(3)], flush=True)


print("expected the parts, and a process that ends with 0", flush=True)
child = os.fork()
if not child:
    signal.alarm(20)  # damaged memory can also hang
    split_twice()
    os._exit(0)
status = os.waitpid(child, 0)[1]
print("actual   the process ended with", status)
sys.exit(status != 0)
