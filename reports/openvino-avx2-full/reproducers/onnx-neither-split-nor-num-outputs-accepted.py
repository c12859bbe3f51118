"""Split-18 with neither `split` nor num_outputs is accepted, and split into as many parts as the node has outputs.

Page Split-18, "Summary": one of split and num_outputs is to be given, and not the other.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Split-18: float input[2, 6], axis = 1, two outputs
MODEL = (
    "CAg6cQovCgVpbnB1dBIIb3V0cHV0XzASCG91dHB1dF8xIgVTcGxpdCoLCgRheGlzGAGgAQISAWdaFwoFaW5wdXQSDgoMCAESCAoC"
    "CAIKAggGYhAKCG91dHB1dF8wEgQKAggBYhAKCG91dHB1dF8xEgQKAggBQgQKABAS"
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
