"""The second input of Split-1, the lengths, is ignored: 6 elements by [2, 4] come as 3 and 3.

Page Split-1, "Inputs": split may come as a second input.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Split-1: float input[2, 6], axis = 1, constant float split = [2, 4], two outputs
MODEL = (
    "CAg6jwEKNgoFaW5wdXQKBXNwbGl0EghvdXRwdXRfMBIIb3V0cHV0XzEiBVNwbGl0KgsKBGF4aXMYAaABAhIBZyoVCAIQASIIAAAA"
    "QAAAgEBCBXNwbGl0WhcKBWlucHV0Eg4KDAgBEggKAggCCgIIBmIQCghvdXRwdXRfMBIECgIIAWIQCghvdXRwdXRfMRIECgIIAUIE"
    "CgAQAQ=="
)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(base64.b64decode(MODEL)), "CPU")
    outputs = compiled([np.zeros((2, 6), np.float32)])
    actual = [outputs[index].shape for index in range(len(outputs))]
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected [(2, 2), (2, 4)]")
print("actual  ", actual)
sys.exit(actual != [(2, 2), (2, 4)])
