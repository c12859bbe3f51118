"""The CPU plugin moves float64 through float32: 0.1 loses its low bits, and infinity becomes the greatest float32.

Page Transpose-1 (and Concat-1), "Types": T is any supported type; "Outputs": a tensor of type T.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

# 0.1, infinity, the smallest subnormal, 1.0
bits = np.array([0x3FB999999999999A, 0x7FF0000000000000, 0x0000000000000001, 0x3FF0000000000000], np.uint64)
data = ov.op.Parameter(ov.Type.f64, ov.PartialShape([2, 2]))
node = ov.opset1.transpose(data, np.array([1, 0]))
request = ov.Core().compile_model(ov.Model([node], [data], "transpose"), "CPU").create_infer_request()
request.set_input_tensor(ov.Tensor(bits, [2, 2], ov.Type.f64))
request.infer(share_outputs=True)

expected = bits.reshape(2, 2).T.tolist()
actual = request.get_output_tensor(0).data.view(bits.dtype).tolist()
print("expected", [[hex(item) for item in row] for row in expected])
print("actual  ", [[hex(item) for item in row] for row in actual])
sys.exit(actual != expected)
