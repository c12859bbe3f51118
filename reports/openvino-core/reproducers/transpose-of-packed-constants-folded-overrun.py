"""Folding a Transpose of a constant of u1, u3 or u6 gives wrong elements and writes behind them: the process can die.

Page Transpose-1, "Types": T is any supported type; "Detailed description": dim i of the output is dim order[i] of the
input.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import signal
import sys

import numpy as np
import openvino as ov


def is_folded_right(name: str) -> bool:
    """Whether a constant that is one element repeated stays so when its two dims change places."""
    element = getattr(ov.Type, name)
    packed = np.full(element.bitwidth * 32, 255, np.uint8)  # 256 elements, of which all bits are set
    data = ov.op.Constant(ov.Tensor(packed, [4, 64], element))
    node = ov.opset1.transpose(data, np.array([1, 0]))
    compiled = ov.Core().compile_model(ov.Model([node], [], "transpose"), "CPU")
    request = compiled.create_infer_request()
    request.start_async()
    request.wait()
    actual = request.get_output_tensor(0).data.reshape(-1).view(np.uint8)[: packed.size].tolist()
    print(f"{name}: expected", packed.tolist()[:8], "...")
    print(f"{name}: actual  ", actual[:8], "...", flush=True)
    return actual == packed.tolist()


deviates = False
for name in ("u1", "u3", "u6"):
    child = os.fork()
    if not child:
        signal.alarm(20)  # damaged memory can also hang
        try:
            os._exit(not is_folded_right(name))
        except RuntimeError as error:
            print(f"{name}: refused: {error}", flush=True)
            os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(f"{name}: expected exit status 0, actual {status}")
    deviates = deviates or status != 0
sys.exit(deviates)
