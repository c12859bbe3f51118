"""Parts of nf4 are written beyond their memory, even where each starts and ends with a byte: the process dies.

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


def split_columns() -> None:
    """Split [512, 40] elements into 8 and 32 columns; the process does not outlive it."""
    data = ov.op.Parameter(ov.Type.nf4, ov.PartialShape([512, 40]))
    split = ov.opset1.variadic_split(data, np.int64(1), np.array([8, 32]))
    request = ov.Core().compile_model(ov.Model(split.outputs(), [data], "split"), "CPU").create_infer_request()
    packed = np.full(512 * 20, 0x1B, np.uint8)
    request.set_input_tensor(ov.Tensor(packed, [512, 40], ov.Type.nf4))
    request.start_async()
    request.wait()
    print("actual   parts of", [request.get_output_tensor(index).byte_size for index in range(2)], "bytes", flush=True)


print("expected parts of [2048, 8192] bytes, and a process that ends with 0", flush=True)
child = os.fork()
if not child:
    signal.alarm(20)  # damaged memory can also hang
    try:
        split_columns()
    except RuntimeError as error:  # or be noticed by OpenVINO itself
        print("actual  ", str(error).strip().splitlines()[-1], flush=True)
        os._exit(1)
    os._exit(0)
status = os.waitpid(child, 0)[1]
print("actual   the process ended with", status)
sys.exit(status != 0)
