"""A split of 8-bit floats whose parts go into a Concat loses the sign of zero; a Concat alone keeps it.

Page Split-1 (and VariadicSplit-1), "Category": movement; the parts hold the elements of `data`.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

bits = np.array([0x80, 0x80, 0x00, 0x80], np.uint8)  # -0.0, -0.0, 0.0, -0.0
data = ov.op.Parameter(ov.Type.f8e4m3, ov.PartialShape([4]))
split = ov.opset1.split(data, np.int64(0), 2)
joined = ov.opset1.concat(split.outputs(), 0)
request = ov.Core().compile_model(ov.Model([joined.output(0)], [data], "split"), "CPU").create_infer_request()
request.set_input_tensor(0, ov.Tensor(bits, [4], ov.Type.f8e4m3))
request.start_async()
request.wait()
actual = np.asarray(request.get_output_tensor(0).data).reshape(-1).view(np.uint8).tolist()
print("expected", bits.tolist())
print("actual  ", actual)
sys.exit(actual != bits.tolist())
