"""Transpose-13 with a second input is accepted, and the second input ignored: the dims are reversed.

Page Transpose-13, "Inputs" and "Attributes": there is one input, and `perm` is an attribute. An attribute that the page
does not have is ignored in the same way.


Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Transpose-13: float32 data[2, 3], and a constant int64[2] as a second input
MODEL = (
    "CAgSCW9wY29uZm9ybUIECgAQDTp/CiEKBGRhdGEKBHBlcm0SCG91dHB1dF8wIglUcmFuc3Bvc2USDFRyYW5zcG9zZS0xM1oWCgRkYXRh"
    "Eg4KDAgBEggKAggCCgIIAyocCAIQB0IEcGVybUoQAQAAAAAAAAAAAAAAAAAAAGIWCghvdXRwdXRfMBIKCggIARIECgAKAA=="
)
try:
    core = ov.Core()
    outputs = core.compile_model(core.read_model(base64.b64decode(MODEL)), "CPU")([np.zeros([2, 3], np.float32)])
    actual = outputs[0].shape
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
