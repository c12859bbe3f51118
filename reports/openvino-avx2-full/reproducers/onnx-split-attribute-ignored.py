"""Lengths in an attribute, as before Split-13, are ignored: of [2, 4] nothing is left, and the parts are equal.

Page Split-13, "Inputs" and "Attributes": the lengths are an input, and axis is the only attribute.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Split-13: float input[6], axis = 0, split = [2, 4] as an attribute, outputs of 2 and 4 elements
MODEL = (
    "CAg6iQEKPwoFaW5wdXQSCG91dHB1dF8wEghvdXRwdXRfMSIFU3BsaXQqCwoEYXhpcxgAoAECKg4KBXNwbGl0QAJABKABBxIBZ1oTCgVp"
    "bnB1dBIKCggIARIECgIIBmIWCghvdXRwdXRfMBIKCggIARIECgIIAmIWCghvdXRwdXRfMRIKCggIARIECgIIBEIECgAQDQ=="
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
