"""The CPU plugin splits u2 by whole bytes: a part that starts inside a byte holds the wrong elements.

Page VariadicSplit-1 (and Split-1), "Types": T1 is any supported type; "Outputs": the parts of `data`, of the same
type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

elements = np.array([1, 3, 2, 0, 3, 1, 2, 3], np.uint8)
shifts = np.arange(0, 8, 2, np.uint8)
packed = np.bitwise_or.reduce(elements.reshape(-1, 4) << shifts, axis=1, dtype=np.uint8)
data = ov.op.Parameter(ov.Type.u2, ov.PartialShape([8]))
split = ov.opset1.variadic_split(data, np.int64(0), np.array([3, 5]))
request = ov.Core().compile_model(ov.Model(split.outputs(), [data], "split"), "CPU").create_infer_request()
request.set_input_tensor(ov.Tensor(packed, [8], ov.Type.u2))
request.infer(share_outputs=True)

outputs = [request.get_output_tensor(index) for index in range(2)]
unpacked = [(item.data.view(np.uint8)[:, None] >> shifts & 3).reshape(-1)[: item.size].tolist() for item in outputs]
expected = [elements[:3].tolist(), elements[3:].tolist()]
print("expected", expected)
print("actual  ", unpacked)
sys.exit(unpacked != expected)
