"""Folding a split of constants of nf4, u3 or u6 gives wrong elements and writes behind its parts: the process dies.

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


def is_folded_right(name: str) -> bool:
    """Whether the second of two parts, each of them whole bytes, is what stands in the second half of the constant."""
    element = getattr(ov.Type, name)
    packed = np.arange(1, 1 + 16 * element.bitwidth, dtype=np.uint8)  # 128 elements
    data = ov.op.Constant(ov.Tensor(packed, [128], element))
    split = ov.opset1.split(data, np.int64(0), 2)
    compiled = ov.Core().compile_model(ov.Model(split.outputs(), [], "split"), "CPU")
    request = compiled.create_infer_request()
    request.start_async()
    request.wait()
    expected = packed[packed.size // 2 :].tolist()
    actual = request.get_output_tensor(1).data.reshape(-1).view(np.uint8).tolist()
    print(f"{name}: expected", expected[:8], "...")
    print(f"{name}: actual  ", actual[:8], "...", flush=True)
    return actual == expected


deviates = False
for name in ("nf4", "u3", "u6"):
    child = os.fork()
    if not child:
        signal.alarm(20)  # damaged memory can also hang
        try:
            os._exit(0 if is_folded_right(name) else 1)
        except RuntimeError as error:  # where the plugin notices it
            print(f"{name}: actual  ", str(error).strip().splitlines()[-1], flush=True)
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    print(f"{name}: expected a process that ends with 0, actual {status}", flush=True)
    deviates = deviates or status != 0
sys.exit(deviates)
