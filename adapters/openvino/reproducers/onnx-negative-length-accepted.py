"""The ONNX frontend takes a length of -1 for "the rest", as VariadicSplit does.

Pages Split-11, Split-13 and Split-18 (there on input `split`): no length is negative, and, from Split-13,
they add up to the dim along the axis.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Split-13: float input[2, 6], axis = 1, constant split = [3, -1], two outputs
MODEL = (
    "CAg6kgEKNgoFaW5wdXQKBXNwbGl0EghvdXRwdXRfMBIIb3V0cHV0XzEiBVNwbGl0KgsKBGF4aXMYAaABAhIBZyoYCAIQBzoLA///"
    "/////////wFCBXNwbGl0WhcKBWlucHV0Eg4KDAgBEggKAggCCgIIBmIQCghvdXRwdXRfMBIECgIIAWIQCghvdXRwdXRfMRIECgII"
    "AUIECgAQDQ=="
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
