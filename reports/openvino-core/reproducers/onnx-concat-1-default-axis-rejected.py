"""Concat-1 without an axis is rejected.

Page Concat-1, "Attributes": "Which axis to concat on.  Default value is 1."

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Concat-1: float32[2, 2] and float32[2, 1]
MODEL = (
    "CAgSCW9wY29uZm9ybUIECgAQATqCAQomCghpbnB1dHNfMAoIaW5wdXRzXzESCG91dHB1dF8wIgZDb25jYXQSCENvbmNhdC0xWhoKCGlu"
    "cHV0c18wEg4KDAgBEggKAggCCgIIAloaCghpbnB1dHNfMRIOCgwIARIICgIIAgoCCAFiFgoIb3V0cHV0XzASCgoICAESBAoACgA="
)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(base64.b64decode(MODEL)), "CPU")
    actual = compiled([np.zeros([2, 2], np.float32), np.ones([2, 1], np.float32)])[0].shape
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected (2, 3)")
print("actual  ", actual)
sys.exit(actual != (2, 3))
