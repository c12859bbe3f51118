"""A split of strings of unknown shape ends the process: parts share the memory of their strings, and it is freed
twice.

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

data = ov.op.Parameter(ov.Type.string, ov.PartialShape([-1]))
split = ov.opset1.variadic_split(data, np.int64(0), np.array([1, 2]))
model = ov.Model(split.outputs(), [data], "split")


def split_strings() -> None:
    """Split and release everything; the process does not outlive it."""
    request = ov.Core().compile_model(model, "CPU").create_infer_request()
    request.set_input_tensor(ov.Tensor(["a" * 40, "b" * 40, "c" * 40]))
    request.start_async()
    request.wait()
    print("actual  ", [request.get_output_tensor(index).str_data.tolist() for index in range(2)], flush=True)


print("expected the parts, and a process that ends with 0", flush=True)
child = os.fork()
if not child:
    signal.alarm(20)  # damaged memory can also hang
    split_strings()
    os._exit(0)
status = os.waitpid(child, 0)[1]
print("actual   the process ended with", status)
sys.exit(status != 0)
