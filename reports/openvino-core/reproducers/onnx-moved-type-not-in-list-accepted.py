"""Concat-13 of float8_e5m2 is accepted.

Page Concat-13, "Type Constraints": the list of T has no type of 8 bits or less, except bool, int8 and uint8. Types that
only a later version lists are accepted by Concat-1, Concat-4, Concat-11 and Transpose-1 to 23, too.


Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Concat-13: two inputs float8_e5m2[2, 2], axis = 0
MODEL = (
    "CAkSCW9wY29uZm9ybUIECgAQDTqQAQozCghpbnB1dHNfMAoIaW5wdXRzXzESCG91dHB1dF8wIgZDb25jYXQqCwoEYXhpcxgAoAECEglD"
    "b25jYXQtMTNaGgoIaW5wdXRzXzASDgoMCBMSCAoCCAIKAggCWhoKCGlucHV0c18xEg4KDAgTEggKAggCCgIIAmIWCghvdXRwdXRfMBIK"
    "CggIExIECgAKAA=="
)
try:
    core = ov.Core()
    outputs = core.compile_model(core.read_model(base64.b64decode(MODEL)), "CPU")(
        [ov.Tensor(np.zeros(4, np.uint8), [2, 2], ov.Type.f8e5m2)] * 2
    )
    actual = outputs[0].shape
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
