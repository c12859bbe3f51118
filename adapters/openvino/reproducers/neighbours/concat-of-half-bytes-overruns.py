"""A Concat of nf4 or f4e2m1 alone writes beyond its output, and the process dies.

Page Concat-1, "Outputs": the inputs one after the other; "Types": any supported type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import signal
import sys

import numpy as np
import openvino as ov


def concat_with_itself(name: str) -> None:
    """Concat [64, 64] elements with themselves along the last axis."""
    element = getattr(ov.Type, name)
    data = ov.op.Parameter(element, ov.PartialShape([64, 64]))
    model = ov.Model([ov.opset1.concat([data, data], 1).output(0)], [data], "concat")
    request = ov.Core().compile_model(model, "CPU").create_infer_request()
    packed = np.full(64 * 64 * element.bitwidth // 8, 0x1B, np.uint8)
    request.set_input_tensor(0, ov.Tensor(packed, [64, 64], element))
    request.start_async()
    request.wait()


deviates = False
for name in ("nf4", "f4e2m1"):
    child = os.fork()
    if not child:
        signal.alarm(20)  # damaged memory can also hang
        concat_with_itself(name)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    print(f"{name}: expected a process that ends with 0, actual {status}", flush=True)
    deviates = deviates or status != 0
sys.exit(deviates)
