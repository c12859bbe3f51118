"""Slice-13 with starts of int32 and ends of int64 is accepted, and so are indices of int16 and uint64.

Page Slice-13, "Type Constraints": the indices are int32 or int64, and all have the type Tind.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Slice-13: float32 data[4], constant starts of int32 and constant ends of int64
MODEL = (
    "CAgSCW9wY29uZm9ybTp3CiMKBGRhdGEKBnN0YXJ0cwoEZW5kcxIGb3V0cHV0IgVTbGljZRIIU2xpY2UtMTMqDwgBEAYqAQBCBnN0YXJ0cyoN"
    "CAEQBzoBAkIEZW5kc1oSCgRkYXRhEgoKCAgBEgQKAggEYhIKBm91dHB1dBIICgYIARICCgBCBAoAEA0="
)
try:
    core = ov.Core()
    outputs = core.compile_model(core.read_model(base64.b64decode(MODEL)), "CPU")([np.zeros([4], np.float32)])
    actual = outputs[0].shape
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
