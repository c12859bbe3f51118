"""Below AVX2, a split of bfloat16 data that is a view of rows in a wider buffer gives zeros for subnormal numbers.

Page Split-1, "Outputs": each part is a slice of `data` along the axis. Data in one piece is split rightly, and such a
view is from AVX2 upward.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import sys

os.environ["ONEDNN_MAX_CPU_ISA"] = "AVX"

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.bf16, ov.PartialShape([4, 3]))
split = ov.opset1.split(data, np.int64(0), 2)
settings = {"INFERENCE_PRECISION_HINT": ov.Type.f32}
request = ov.Core().compile_model(ov.Model(split.outputs(), [data], "split"), "CPU", settings).create_infer_request()

wide = np.zeros((4, 6), np.uint16)
wide[:, :3] = np.arange(1, 13, dtype=np.uint16).reshape(4, 3)  # the bits of subnormal numbers
whole = ov.Tensor(wide, [4, 6], ov.Type.bf16)
request.infer([ov.Tensor(whole, [0, 0], [4, 3])])

expected = [list(range(1, 7)), list(range(7, 13))]
actual = [np.frombuffer(request.get_output_tensor(index).data.tobytes(), np.uint16).tolist() for index in range(2)]
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
