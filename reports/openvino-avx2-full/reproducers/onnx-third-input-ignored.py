"""A third input of Split-13 is ignored.

Pages Split-13 and Split-18, "Inputs": there are one or two.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Split-13: float input[6], constant split = [3, 3], constant int64 third input = [1], axis = 0, two outputs
MODEL = (
    "CAgSADqkAQo9CgVpbnB1dAoFc3BsaXQKBXRoaXJkEghvdXRwdXRfMBIIb3V0cHV0XzEiBVNwbGl0KgsKBGF4aXMYAKABAhIBZyoPCAIQ"
    "BzoCAwNCBXNwbGl0Kg4IARAHOgEBQgV0aGlyZFoTCgVpbnB1dBIKCggIARIECgIIBmIUCghvdXRwdXRfMBIICgYIARICCgBiFAoIb3V0"
    "cHV0XzESCAoGCAESAgoAQgQKABAN"
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
