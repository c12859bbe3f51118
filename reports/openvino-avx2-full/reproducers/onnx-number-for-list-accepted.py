"""One number in the place of a list is taken as the list of one length: `split` is INT where the page has INTS.

Page Split-11, "Attributes": split : list of ints.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Split-11: float input[6, 2], axis = 0, split = 6 (INT), one output
MODEL = (
    "CAY6XwoxCgVpbnB1dBIGb3V0cHV0IgVTcGxpdCoLCgRheGlzGACgAQIqDAoFc3BsaXQYBqABAhIBZ1oXCgVpbnB1dBIOCgwIARIICgIIBgoCCAJi"
    "DgoGb3V0cHV0EgQKAggBQgQKABAL"
)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(base64.b64decode(MODEL)), "CPU")
    outputs = compiled([np.zeros((6, 2), np.float32)])
    actual = [outputs[index].shape for index in range(len(outputs))]
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
