"""A model whose input `split` has an unknown dim is refused, although the node declares its number of outputs.

Page Split-13 and Split-18, "Inputs": split is an int64 tensor; "Outputs": the node lists them.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Split-13: float input[2, 6], axis = 1, int64 split[n] at run time, two outputs
MODEL = (
    "CAg6jgEKNgoFaW5wdXQKBXNwbGl0EghvdXRwdXRfMBIIb3V0cHV0XzEiBVNwbGl0KgsKBGF4aXMYAaABAhIBZ1oXCgVpbnB1dBIO"
    "CgwIARIICgIIAgoCCAZaFAoFc3BsaXQSCwoJCAcSBQoDEgFuYhAKCG91dHB1dF8wEgQKAggBYhAKCG91dHB1dF8xEgQKAggBQgQK"
    "ABAN"
)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(base64.b64decode(MODEL)), "CPU")
    outputs = compiled({"input": np.zeros((2, 6), np.float32), "split": np.array([2, 4])})
    actual = [outputs[index].shape for index in range(len(outputs))]
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected [(2, 2), (2, 4)]")
print("actual  ", actual)
sys.exit(actual != [(2, 2), (2, 4)])
