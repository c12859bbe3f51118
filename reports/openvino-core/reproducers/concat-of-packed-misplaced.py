"""Concat joins f4e2m1 and nf4 by whole bytes, and all packed types when it is folded: elements are in wrong places.

Page Concat-1, "Types": T is any numeric type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import sys

import numpy as np
import openvino as ov


def rows(kind: ov.Type) -> tuple[list[ov.Tensor], ov.Tensor]:
    """Rows of elements of four bits, two in a byte, and the expectation."""
    left, right = ov.Tensor(kind, ov.Shape([2, 3])), ov.Tensor(kind, ov.Shape([2, 1]))
    left.data.view(np.uint8).reshape(-1)[:3] = [0x21, 0x43, 0x65]
    right.data.view(np.uint8).reshape(-1)[:1] = [0x87]
    expected = ov.Tensor(kind, ov.Shape([2, 4]))
    expected.data.view(np.uint8).reshape(-1)[:4] = [0x21, 0x73, 0x54, 0x86]
    return [left, right], expected


def bytes_of(tensor: ov.Tensor) -> list[str]:
    """The first four bytes."""
    return [hex(byte) for byte in tensor.data.view(np.uint8).reshape(-1)[:4]]


def is_right(kind: ov.Type, *, folded: bool) -> bool:
    """Whether the rows [1, 2, 3] and [4, 5, 6] are joined with [7] and [8]."""
    tensors, expected = rows(kind)
    nodes = (
        [ov.op.Constant(tensor) for tensor in tensors]
        if folded
        else [ov.op.Parameter(kind, ov.PartialShape(list(tensor.shape))) for tensor in tensors]
    )
    model = ov.Model([ov.opset1.concat(nodes, 1)], [] if folded else nodes, "concat")
    request = ov.Core().compile_model(model, "CPU").create_infer_request()
    for at, tensor in enumerate([] if folded else tensors):
        request.set_input_tensor(at, tensor)
    request.infer()
    actual = bytes_of(request.get_output_tensor(0))
    print(kind, "folded" if folded else "at run time", "expected", bytes_of(expected), "actual", actual, flush=True)
    return actual == bytes_of(expected)


is_deviating = False
for kind, folded in ((ov.Type.f4e2m1, False), (ov.Type.nf4, False), (ov.Type.i4, False), (ov.Type.i4, True)):
    child = os.fork()
    if not child:
        os._exit(not is_right(kind, folded=folded))
    status = os.waitpid(child, 0)[1]
    print(kind, "the process ended with", status)
    is_deviating |= status != 0
sys.exit(is_deviating)
