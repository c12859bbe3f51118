"""The CPU plugin computes float64 in float32: 0.1 loses its low bits, and infinity becomes the greatest float32.

Page VariadicSplit-1 (and Split-1), "Types": T1 is any supported type; "Outputs": the parts of `data`, of the same
type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

# 0.1, infinity, the smallest subnormal
bits = np.array([0x3FB999999999999A, 0x7FF0000000000000, 0x0000000000000001], np.uint64)
data = ov.op.Parameter(ov.Type.f64, ov.PartialShape([3]))
split = ov.opset1.variadic_split(data, np.int64(0), np.array([1, 2]))
request = ov.Core().compile_model(ov.Model(split.outputs(), [data], "split"), "CPU").create_infer_request()
request.set_input_tensor(ov.Tensor(bits, [3], ov.Type.f64))
request.infer(share_outputs=True)

expected = [part.tolist() for part in np.split(bits, [1])]
actual = [request.get_output_tensor(index).data.view(bits.dtype).tolist() for index in range(2)]
print("expected", [[hex(item) for item in part] for part in expected])
print("actual  ", [[hex(item) for item in part] for part in actual])
sys.exit(actual != expected)
