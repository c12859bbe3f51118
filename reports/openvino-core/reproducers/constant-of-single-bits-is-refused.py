"""A constant of u1 that is an output, with no operator in between, compiles, and is refused when it runs.

Page Constant-1, "Outputs": the value, with type and shape as they are given.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

data = ov.op.Constant(ov.Tensor(np.array([0b10110000], np.uint8), [5], ov.Type.u1))
request = ov.Core().compile_model(ov.Model([data.output(0)], [], "constant"), "CPU").create_infer_request()
print("expected 5 elements of u1")
try:
    request.start_async()
    request.wait()
except RuntimeError as error:
    print("actual   refused:", str(error).strip().splitlines()[-1])
    sys.exit(1)
print("actual  ", request.get_output_tensor(0))
sys.exit(0)
