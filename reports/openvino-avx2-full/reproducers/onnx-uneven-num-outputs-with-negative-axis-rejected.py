"""Split-18 with num_outputs = 2 of 7 elements is refused if the axis is written as -1; with axis = 0 it is not.

Page Split-18, "Summary": where num_outputs does not divide the axis, the last part is the smaller one.
"Attributes", axis: a negative one counts from the last dimension.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Split-18: float input[7], axis = -1, num_outputs = 2
MODEL = (
    "CAgSADqSAQpMCgVpbnB1dBIIb3V0cHV0XzASCG91dHB1dF8xIgVTcGxpdCoUCgRheGlzGP///////////wGgAQIqEgoLbnVtX291dHB1"
    "dHMYAqABAhIBZ1oTCgVpbnB1dBIKCggIARIECgIIB2IUCghvdXRwdXRfMBIICgYIARICCgBiFAoIb3V0cHV0XzESCAoGCAESAgoAQgQK"
    "ABAS"
)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(base64.b64decode(MODEL)), "CPU")
    outputs = compiled([np.zeros(7, np.float32)])
    actual = [outputs[index].shape for index in range(len(outputs))]
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected [(4,), (3,)]")
print("actual  ", actual)
sys.exit(actual != [(4,), (3,)])
