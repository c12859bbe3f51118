"""A split of a constant of 4-bit elements is folded into parts that follow each other in memory, whatever the axis.

Page Split-1 (and VariadicSplit-1), "Outputs": each part is a slice of `data` along the axis; "Types": any supported
type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

packed = np.array([0x10, 0x32, 0x54, 0x76, 0x98, 0xBA], np.uint8)  # [[0, ..., 5], [6, ..., 11]], lower half first
data = ov.op.Constant(ov.Tensor(packed, [2, 6], ov.Type.u4))
split = ov.opset1.split(data, np.int64(1), 3)
compiled = ov.Core().compile_model(ov.Model(split.outputs(), [], "split"), "CPU")
request = compiled.create_infer_request()
request.start_async()
request.wait()
expected = [[0x10, 0x76], [0x32, 0x98], [0x54, 0xBA]]
actual = [request.get_output_tensor(index).data.reshape(-1).view(np.uint8).tolist() for index in range(3)]
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
