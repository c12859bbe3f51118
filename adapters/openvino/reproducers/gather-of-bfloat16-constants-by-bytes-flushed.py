"""A Gather of bfloat16 constants by constant indices of uint8 flushes subnormals; by those of int32 it does not.

Page Gather-8, "Outputs": the elements of the data. It happens below the level AVX512_CORE_BF16; this script asks for a
lower one.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints, and sets the level before OpenVINO is imported)

import os
import sys

os.environ["ONEDNN_MAX_CPU_ISA"] = "AVX2"

import numpy as np
import openvino as ov

bits = np.array([[1, 0x8000, 0x3F80], [2, 3, 4]], np.uint16)  # -0.0, 1.0, and the smallest numbers above 0
data = ov.op.Constant(ov.Tensor(bits, [2, 3], ov.Type.bf16))
node = ov.opset8.gather(data, ov.op.Constant(np.array([1, 2], np.uint8)), ov.op.Constant(np.array(1)))
request = ov.Core().compile_model(ov.Model([node], [], "gather"), "CPU").create_infer_request()
request.start_async()
request.wait()
expected = bits[:, [1, 2]].tolist()
actual = np.asarray(request.get_output_tensor(0).data).view(np.uint16).tolist()
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
