"""Split-18 with both `split` and num_outputs is accepted; `split` is ignored.

Page Split-18, "Summary": one of split and num_outputs is to be given, and not the other.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Split-18: float input[2, 6], axis = 1, num_outputs = 2, constant split = [2, 4]
MODEL = (
    "CAg6nQEKSgoFaW5wdXQKBXNwbGl0EghvdXRwdXRfMBIIb3V0cHV0XzEiBVNwbGl0KgsKBGF4aXMYAaABAioSCgtudW1fb3V0cHV0"
    "cxgCoAECEgFnKg8IAhAHOgICBEIFc3BsaXRaFwoFaW5wdXQSDgoMCAESCAoCCAIKAggGYhAKCG91dHB1dF8wEgQKAggBYhAKCG91"
    "dHB1dF8xEgQKAggBQgQKABAS"
)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(base64.b64decode(MODEL)), "CPU")
    outputs = compiled([np.zeros((2, 6), np.float32)])
    actual = [outputs[index].shape for index in range(len(outputs))]
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
