"""Split-13 of 7 elements into 2 outputs without lengths is answered with parts of 4 and 3, as by the rule of Split-18.

Pages Split-2, Split-11 and Split-13, "Summary": without lengths the parts are of one size. With
unknown dims it is refused.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Split-13: float input[7], axis = 0, two outputs
MODEL = (
    "CAgSADp1Ci8KBWlucHV0EghvdXRwdXRfMBIIb3V0cHV0XzEiBVNwbGl0KgsKBGF4aXMYAKABAhIBZ1oTCgVpbnB1dBIKCggIARIECgII"
    "B2IUCghvdXRwdXRfMBIICgYIARICCgBiFAoIb3V0cHV0XzESCAoGCAESAgoAQgQKABAN"
)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(base64.b64decode(MODEL)), "CPU")
    outputs = compiled([np.zeros(7, np.float32)])
    actual = [outputs[index].shape for index in range(len(outputs))]
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
