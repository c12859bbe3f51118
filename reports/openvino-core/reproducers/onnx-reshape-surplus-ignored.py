"""ONNX Reshape-13 with an attribute `allowzero`, which version 14 adds, is accepted. So are consumed_inputs of
version 1 in later ones, and an attribute that no version has.

Page Reshape-13, "Attributes": there are none.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Reshape-13: float32 data[2, 3], constant shape [3, 2], allowzero = 1
MODEL = (
    "CAg6igEKMgoEZGF0YQoFc2hhcGUSCG91dHB1dF8wIgdSZXNoYXBlKhAKCWFsbG93emVybxgBoAECEgVncmFwaCodCAIQB0IFc2hhcGVKEAMAAAAA"
    "AAAAAgAAAAAAAABaFgoEZGF0YRIOCgwIARIICgIIAgoCCANiFgoIb3V0cHV0XzASCgoICAESBAoACgBCBAoAEA0="
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
