"""The CPU plugin splits nf4 by whole bytes: a part that starts inside a byte holds the wrong elements.

Page VariadicSplit-1 (and Split-1), "Types": T1 is any supported type; "Outputs": the parts of `data`, of the same
type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

elements = np.arange(8, dtype=np.uint8)
packed = elements[::2] | elements[1::2] << 4
data = ov.op.Parameter(ov.Type.nf4, ov.PartialShape([8]))
split = ov.opset1.variadic_split(data, np.int64(0), np.array([3, 5]))
request = ov.Core().compile_model(ov.Model(split.outputs(), [data], "split"), "CPU").create_infer_request()
request.set_input_tensor(ov.Tensor(packed, [8], ov.Type.nf4))
request.start_async()
request.wait()

outputs = [request.get_output_tensor(index) for index in range(2)]
unpacked = [
    (item.data.reshape(-1).view(np.uint8)[:, None] >> np.array([0, 4]) & 15).reshape(-1)[: item.size].tolist()
    for item in outputs
]
expected = [[0, 1, 2], [3, 4, 5, 6, 7]]
print("expected", expected)
print("actual  ", unpacked)
sys.exit(unpacked != expected)
