"""Gather takes wrong elements of f4e2m1, nf4 and u2, and folded of u3 and u6: it moves elements by whole bytes.

Page Gather-8, "Types": T is any type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import sys

import numpy as np
import openvino as ov

# Of eight elements, the first one in the low bits: those at 1, 4, 2 and 0; or all of them, twice.
CALLS = [
    (ov.Type.f4e2m1, False, [0x10, 0x32, 0x54, 0x76], [1, 4, 2, 0], [0x41, 0x02]),
    (ov.Type.nf4, False, [0x10, 0x32, 0x54, 0x76], [1, 4, 2, 0], [0x41, 0x02]),
    (ov.Type.u2, False, [0b11_10_01_00, 0b00_01_10_11], [1, 4, 2, 0], [0b00_10_11_01]),
    (ov.Type.u3, True, [1, 2, 3], [*range(8)] * 2, [1, 2, 3] * 2),
    (ov.Type.u6, True, [1, 2, 3, 4, 5, 6], [*range(8)] * 2, [1, 2, 3, 4, 5, 6] * 2),
]


def gathered(kind: ov.Type, given: list[int], indices: list[int], *, folded: bool) -> list[int]:
    """The bytes of the output."""
    tensor = ov.Tensor(kind, ov.Shape([8]))
    tensor.data.view(np.uint8).reshape(-1)[: len(given)] = given
    data = ov.op.Constant(tensor) if folded else ov.op.Parameter(kind, ov.PartialShape([8]))
    node = ov.opset8.gather(data, np.array(indices), np.array(0))
    model = ov.Model([node], [] if folded else [data], "gather")
    request = ov.Core().compile_model(model, "CPU").create_infer_request()
    if not folded:
        request.set_input_tensor(tensor)
    request.infer()
    return list(request.get_output_tensor(0).data.view(np.uint8).reshape(-1).tolist())


is_deviating = False
for kind, folded, given, indices, expected in CALLS:
    child = os.fork()
    if not child:
        actual = gathered(kind, given, indices, folded=folded)[: len(expected)]
        print(kind, "folded" if folded else "at run time", "expected", expected, "actual", actual, flush=True)
        os._exit(actual != expected)
    status = os.waitpid(child, 0)[1]
    print(kind, "the process ended with", status)
    is_deviating |= status != 0
sys.exit(is_deviating)
