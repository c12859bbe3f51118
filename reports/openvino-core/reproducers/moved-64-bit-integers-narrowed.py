"""The CPU plugin moves int64 and uint64 as int32: 2**31 comes back as -2**31, and 2**32 as 0.

Page Transpose-1 (and Concat-1), "Types": T is any supported type; "Outputs": a tensor of type T.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

# 2**31, 2**32, 2**53 + 1, 1
bits = np.array([0x80000000, 0x100000000, 0x20000000000001, 1], np.uint64)
expected = bits.reshape(2, 2).T.tolist()
is_deviating = False
for kind in (ov.Type.i64, ov.Type.u64):
    data = ov.op.Parameter(kind, ov.PartialShape([2, 2]))
    node = ov.opset1.transpose(data, np.array([1, 0]))
    request = ov.Core().compile_model(ov.Model([node], [data], "transpose"), "CPU").create_infer_request()
    request.set_input_tensor(ov.Tensor(bits, [2, 2], kind))
    request.infer(share_outputs=True)
    actual = request.get_output_tensor(0).data.view(bits.dtype).tolist()
    print(kind, "expected", [[hex(item) for item in row] for row in expected])
    print(kind, "actual  ", [[hex(item) for item in row] for row in actual])
    is_deviating |= actual != expected
sys.exit(is_deviating)
