"""A Reshape of float8 data that is a view of the first half of each row of a tensor turns -0.0 into 0.0.

Page Reshape-1: the output has the elements of the data. The same data without a view is right, and so is the view
as an output. It happens below the level AVX512_CORE_FP16; this script asks for a lower one.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints, and sets the level before OpenVINO is imported)

import os
import sys

os.environ["ONEDNN_MAX_CPU_ISA"] = "AVX2"

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.f8e4m3, ov.PartialShape([3, 4]))
model = ov.Model([ov.opset1.reshape(data, np.array([4, 3]), special_zero=False)], [data], "reshape")
request = ov.Core().compile_model(model, "CPU").create_infer_request()
whole = ov.Tensor(ov.Type.f8e4m3, ov.Shape([3, 8]))
whole.data.view(np.uint8)[:] = 0x80  # -0.0
request.set_input_tensor(0, ov.Tensor(whole, ov.Coordinate([0, 0]), ov.Coordinate([3, 4])))
request.start_async()
request.wait()
actual = np.asarray(request.get_output_tensor(0).data).reshape(-1).view(np.uint8).tolist()
print("expected", [0x80] * 12)
print("actual  ", actual)
sys.exit(actual != [0x80] * 12)
