"""ONNX Reshape-13 with a shape of int32 is accepted. So are those of every other integer type.

Page Reshape-13, "Inputs": the shape is a tensor of int64.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Reshape-13: float32 data[2, 3], constant int32 shape [3, 2]
MODEL = (
    "CAg6cAogCgRkYXRhCgVzaGFwZRIIb3V0cHV0XzAiB1Jlc2hhcGUSBWdyYXBoKhUIAhAGQgVzaGFwZUoIAwAAAAIAAABaFgoEZGF0YRIOCgwIARII"
    "CgIIAgoCCANiFgoIb3V0cHV0XzASCgoICAESBAoACgBCBAoAEA0="
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
