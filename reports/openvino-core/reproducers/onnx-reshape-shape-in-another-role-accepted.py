"""ONNX Reshape-13 with the shape as an attribute is accepted. So is Reshape-1 with the shape as an input.

Page Reshape-13, "Inputs": the shape is the second of two inputs, and there are no attributes.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Reshape-13: float32 data[2, 3], shape = [3, 2] as an attribute
MODEL = (
    "CAg6YgopCgRkYXRhEghvdXRwdXRfMCIHUmVzaGFwZSoOCgVzaGFwZUADQAKgAQcSBWdyYXBoWhYKBGRhdGESDgoMCAESCAoCCAIKAggDYhYKCG91"
    "dHB1dF8wEgoKCAgBEgQKAAoAQgQKABAN"
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
