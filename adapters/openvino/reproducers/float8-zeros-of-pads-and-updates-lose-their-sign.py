"""ScatterNDUpdate of float8 data returns -0.0 as 0.0.

Page ScatterNDUpdate-3, "Detailed description": the output is the data, with the updates in it. It happens below
the level AVX512_CORE_FP16; this script asks for a lower one.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints, and sets the level before OpenVINO is imported)

import os
import sys

os.environ["ONEDNN_MAX_CPU_ISA"] = "AVX2"

import numpy as np
import openvino as ov
from openvino.utils.node_factory import NodeFactory

expected = "[128, 64, 128]"
data = ov.op.Parameter(ov.Type.f8e5m2, ov.PartialShape([3]))
updates = ov.op.Parameter(ov.Type.f8e5m2, ov.PartialShape([1]))
indices = ov.op.Constant(np.array([[1]]))
inputs = [data.output(0), indices.output(0), updates.output(0)]
node = NodeFactory("opset4").create("ScatterNDUpdate", inputs)
model = ov.Model([node], [data, updates], "scatter")
request = ov.Core().compile_model(model, "CPU").create_infer_request()
bits = [np.array([0x80, 0x3C, 0x80], np.uint8), np.array([0x40], np.uint8)]
request.set_input_tensor(0, ov.Tensor(bits[0], [3], ov.Type.f8e5m2))
request.set_input_tensor(1, ov.Tensor(bits[1], [1], ov.Type.f8e5m2))
request.start_async()
request.wait()
actual = str(request.get_output_tensor(0).data.view(np.uint8).tolist())
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
