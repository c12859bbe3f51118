"""A Concat that reads one tensor of 8-bit floats twice loses the sign of zero and payloads of NaNs in its first half.

Page Concat-1, "Outputs": the inputs one after the other. Where a tensor is read once, all is right; parts of a Split
are as wrong as what is read twice. It happens below the level AVX512_CORE_FP16; this script asks for a lower one.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints, and sets the level before OpenVINO is imported)

import os
import sys

os.environ["ONEDNN_MAX_CPU_ISA"] = "AVX2"

import numpy as np
import openvino as ov

bits = np.array([0x80, 0x80, 0x00, 0xFD], np.uint8)  # -0.0, -0.0, 0.0, a NaN
data = ov.op.Parameter(ov.Type.f8e5m2, ov.PartialShape([4]))
joined = ov.opset1.concat([data, data], 0)
request = ov.Core().compile_model(ov.Model([joined.output(0)], [data], "concat"), "CPU").create_infer_request()
request.set_input_tensor(0, ov.Tensor(bits, [4], ov.Type.f8e5m2))
request.start_async()
request.wait()
expected = [*bits.tolist(), *bits.tolist()]
actual = np.asarray(request.get_output_tensor(0).data).reshape(-1).view(np.uint8).tolist()
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
