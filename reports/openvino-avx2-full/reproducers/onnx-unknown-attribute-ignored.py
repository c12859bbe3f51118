"""An attribute that Split-13 does not have is ignored: num_outputs, which comes with Split-18.

Page Split-13, "Attributes": axis is the only one.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Split-13: float input[6], axis = 0, num_outputs = 2, two outputs
MODEL = (
    "CAgSADqJAQpDCgVpbnB1dBIIb3V0cHV0XzASCG91dHB1dF8xIgVTcGxpdCoLCgRheGlzGACgAQIqEgoLbnVtX291dHB1dHMYAqABAhIB"
    "Z1oTCgVpbnB1dBIKCggIARIECgIIBmIUCghvdXRwdXRfMBIICgYIARICCgBiFAoIb3V0cHV0XzESCAoGCAESAgoAQgQKABAN"
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
