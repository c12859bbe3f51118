"""A Slice of strings ends the process: data and output share the memory of the strings, and it is freed twice.

Page Slice-8, "Types": T is any supported type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import signal
import sys

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.string, ov.PartialShape([3]))
bounds = [ov.opset8.constant(np.array([value], np.int64)) for value in (1, 3, 1, 0)]
model = ov.Model([ov.opset8.slice(data, *bounds)], [data], "slice")


def slice_strings() -> None:
    """Slice and release everything; the process does not outlive it."""
    request = ov.Core().compile_model(model, "CPU").create_infer_request()
    request.set_input_tensor(ov.Tensor(["a" * 40, "b" * 40, "c" * 40]))
    request.start_async()
    request.wait()
    print("actual  ", request.get_output_tensor(0).str_data.tolist(), flush=True)


print("expected the last two strings, and a process that ends with 0", flush=True)
child = os.fork()
if not child:
    signal.alarm(20)  # damaged memory can also hang
    slice_strings()
    os._exit(0)
status = os.waitpid(child, 0)[1]
print("actual   the process ended with", status)
sys.exit(status != 0)
