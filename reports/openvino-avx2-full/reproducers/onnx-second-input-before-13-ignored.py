"""A second input of Split-11 is ignored: 6 elements come as 3 and 3, whatever lengths it holds.

Page Split-11, "Inputs": there is one, `input`; the lengths are an attribute. Split-2 says and does the same.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Split-11: float input[6], constant int64 second input = [2, 4], axis = 0, two outputs
MODEL = (
    "CAgSADqNAQo2CgVpbnB1dAoFc3BsaXQSCG91dHB1dF8wEghvdXRwdXRfMSIFU3BsaXQqCwoEYXhpcxgAoAECEgFnKg8IAhAHOgICBEIF"
    "c3BsaXRaEwoFaW5wdXQSCgoICAESBAoCCAZiFAoIb3V0cHV0XzASCAoGCAESAgoAYhQKCG91dHB1dF8xEggKBggBEgIKAEIECgAQCw=="
)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(base64.b64decode(MODEL)), "CPU")
    outputs = compiled([np.zeros(6, np.float32)])
    actual = [outputs[index].shape for index in range(len(outputs))]
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
