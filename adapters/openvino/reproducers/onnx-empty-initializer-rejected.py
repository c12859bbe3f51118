"""The ONNX frontend takes an initializer without elements for a scalar, so that it has no axis to split.

Pages Split-13 and Split-18: the input may have any shape, a dim of 0 among them; the other dims stay as they are.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import openvino as ov

# Split-13: initializer float input[0, 3], axis = 1, constant split = [1, 2], two outputs
MODEL = (
    "CAgSADqXAQo2CgVpbnB1dAoFc3BsaXQSCG91dHB1dF8wEghvdXRwdXRfMSIFU3BsaXQqCwoEYXhpcxgBoAECEgVzcGxpdCoNCAAIAxAB"
    "QgVpbnB1dCoPCAIQBzoCAQJCBXNwbGl0YhoKCG91dHB1dF8wEg4KDAgBEggKAggACgIIAWIaCghvdXRwdXRfMRIOCgwIARIICgIIAAoC"
    "CAJCBAoAEA0="
)
expected = [(0, 1), (0, 2)]
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(base64.b64decode(MODEL)), "CPU")
    outputs = compiled([])
    actual = [outputs[index].shape for index in range(len(outputs))]
except RuntimeError as error:
    actual = "an error: " + str(error).partition("Summary")[0].strip().splitlines()[-1]
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
