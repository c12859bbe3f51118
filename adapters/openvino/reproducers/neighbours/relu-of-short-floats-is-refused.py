"""A Relu of float8 or float4 data alone is refused.

Page ReLU-1, "Types": any supported numeric type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import openvino as ov

is_deviating = False
for kind in (ov.Type.f8e4m3, ov.Type.f8e5m2, ov.Type.f8e8m0, ov.Type.f4e2m1):
    data = ov.op.Parameter(kind, ov.PartialShape([4]))
    model = ov.Model([ov.opset1.relu(data)], [data], "relu")
    print(kind, "expected: it is compiled")
    try:
        ov.Core().compile_model(model, "CPU")
        print(kind, "actual:   it is compiled")
    except RuntimeError as error:
        print(kind, "actual:   refused:", str(error).strip().splitlines()[-1])
        is_deviating = True
sys.exit(is_deviating)
