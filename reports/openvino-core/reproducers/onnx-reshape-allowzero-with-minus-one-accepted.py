"""ONNX Reshape-14 of [0, 3] with allowzero and the shape [0, -1] is accepted, and gives [0, 1]; with the shape at run
time, [0, 0].

Page Reshape-14, Summary: with allowzero, a shape that holds both a 0 and a -1 is invalid.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Reshape-14: float32 data[0, 3], constant shape [0, -1], allowzero = 1
MODEL = (
    "CAg6igEKMgoEZGF0YQoFc2hhcGUSCG91dHB1dF8wIgdSZXNoYXBlKhAKCWFsbG93emVybxgBoAECEgVncmFwaCodCAIQB0IFc2hhcGVKEAAAAAAA"
    "AAAA//////////9aFgoEZGF0YRIOCgwIARIICgIIAAoCCANiFgoIb3V0cHV0XzASCgoICAESBAoACgBCBAoAEA4="
)
try:
    core = ov.Core()
    outputs = core.compile_model(core.read_model(base64.b64decode(MODEL)), "CPU")([np.zeros([0, 3], np.float32)])
    actual = outputs[0].shape
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
