"""A Relu of float4_e2m1fn alone is refused.

Page ReLU-1, "Types": any supported numeric type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import openvino as ov

data = ov.op.Parameter(ov.Type.f4e2m1, ov.PartialShape([4]))
model = ov.Model([ov.opset1.relu(data)], [data], "relu")
try:
    ov.Core().compile_model(model, "CPU")
    actual = "it is compiled"
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected it is compiled")
print("actual  ", actual)
sys.exit(actual != "it is compiled")
