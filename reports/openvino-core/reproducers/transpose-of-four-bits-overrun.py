"""Transpose of nf4 (or f4e2m1, or u2) writes beyond its output: the process dies, or the elements are wrong.

Page Transpose-1, "Types": T is any supported type; "Outputs": a tensor of type T.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import signal
import sys

import numpy as np
import openvino as ov


def transpose() -> None:
    """Transpose [512, 40] elements; the process does not outlive it."""
    data = ov.op.Parameter(ov.Type.nf4, ov.PartialShape([512, 40]))
    node = ov.opset1.transpose(data, np.array([1, 0]))
    request = ov.Core().compile_model(ov.Model([node], [data], "transpose"), "CPU").create_infer_request()
    request.set_input_tensor(ov.Tensor(np.full(512 * 20, 0x12, np.uint8), [512, 40], ov.Type.nf4))
    request.start_async()
    request.wait()
    print("actual   an output of", request.get_output_tensor(0).byte_size, "bytes", flush=True)


print("expected an output of 10240 bytes, and a process that ends with 0", flush=True)
child = os.fork()
if not child:
    signal.alarm(20)  # damaged memory can also hang
    try:
        transpose()
    except RuntimeError as error:  # or be noticed by OpenVINO itself
        print("actual  ", str(error).strip().splitlines()[-1], flush=True)
        os._exit(1)
    os._exit(0)
status = os.waitpid(child, 0)[1]
print("actual   the process ended with", status)
sys.exit(status != 0)
