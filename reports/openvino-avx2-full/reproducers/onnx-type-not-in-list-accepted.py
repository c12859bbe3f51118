"""Split-13 of int4 is accepted.

Page Split-13, "Type Constraints": the list of T has no type of less than 8 bits. It has no 8-bit floats either; those
are accepted too, and so are bfloat16 in Split-2 and Split-11 and integers in Split-1.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Split-13: int4 input[6], axis = 0, two outputs
MODEL = (
    "CAoSADp1Ci8KBWlucHV0EghvdXRwdXRfMBIIb3V0cHV0XzEiBVNwbGl0KgsKBGF4aXMYAKABAhIBZ1oTCgVpbnB1dBIKCggIFhIECgII"
    "BmIUCghvdXRwdXRfMBIICgYIFhICCgBiFAoIb3V0cHV0XzESCAoGCBYSAgoAQgQKABAN"
)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(base64.b64decode(MODEL)), "CPU")
    outputs = compiled([ov.Tensor(np.zeros(3, np.uint8), [6], ov.Type.i4)])
    actual = [outputs[index].shape for index in range(len(outputs))]
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
