"""An input `split` of type bool is accepted when it comes at run time.

Page Split-13 and Split-18, "Inputs": split is a tensor(int64).

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Split-13: float input[2], axis = 0, bool split[2], two outputs
MODEL = (
    "CAg6lQEKNgoFaW5wdXQKBXNwbGl0EghvdXRwdXRfMBIIb3V0cHV0XzEiBVNwbGl0KgsKBGF4aXMYAKABAhIFU3BsaXRaEwoFaW5wdX"
    "QSCgoICAESBAoCCAJaEwoFc3BsaXQSCgoICAkSBAoCCAJiFAoIb3V0cHV0XzASCAoGCAESAgoAYhQKCG91dHB1dF8xEggKBggBEgIK"
    "AEIECgAQDQ=="
)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(base64.b64decode(MODEL)), "CPU")
    outputs = compiled([np.zeros(2, np.float32), np.array([True, True])])
    actual = [outputs[index].shape for index in range(len(outputs))]
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
