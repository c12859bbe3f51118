"""Slice takes wrong elements of f4e2m1, as of u2 and nf4: it moves elements by whole bytes.

Page Slice-8, "Types": T is any supported type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import sys

import numpy as np
import openvino as ov


def is_right() -> bool:
    """Whether elements 1 to 6 of eight come, two in a byte, the first one in the low bits."""
    data = ov.op.Parameter(ov.Type.f4e2m1, ov.PartialShape([8]))
    bounds = [ov.opset8.constant(np.array([value], np.int64)) for value in (1, 7, 1, 0)]
    compiled = ov.Core().compile_model(ov.Model([ov.opset8.slice(data, *bounds)], [data], "slice"), "CPU")
    given = ov.Tensor(ov.Type.f4e2m1, ov.Shape([8]))
    given.data.view(np.uint8)[:4] = [0x10, 0x32, 0x54, 0x76]
    request = compiled.create_infer_request()
    request.set_input_tensor(given)
    request.infer()
    actual = request.get_output_tensor(0).data.view(np.uint8).reshape(-1)[:3].tolist()
    print("actual  ", [hex(byte) for byte in actual], flush=True)
    return bool(actual == [0x21, 0x43, 0x65])


print("expected ['0x21', '0x43', '0x65'], and a process that ends with 0", flush=True)
child = os.fork()
if not child:
    os._exit(not is_right())
status = os.waitpid(child, 0)[1]
print("actual   the process ended with", status)
sys.exit(status != 0)
