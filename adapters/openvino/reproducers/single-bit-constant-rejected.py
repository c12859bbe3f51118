"""A constant of single bits that becomes one part is refused when the model runs.

Page Split-1 (and VariadicSplit-1), "Types": any supported type; "Outputs": the parts of `data`.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Constant(ov.Tensor(np.array([0b10110], np.uint8), [5], ov.Type.u1))
split = ov.opset1.split(data, np.int64(0), 1)
request = ov.Core().compile_model(ov.Model(split.outputs(), [], "split"), "CPU").create_infer_request()
print("expected the five bits")
try:
    request.start_async()
    request.wait()
except RuntimeError as error:
    print("actual  ", str(error).splitlines()[-1])
    sys.exit(1)
print("actual  ", request.get_output_tensor(0).shape)
