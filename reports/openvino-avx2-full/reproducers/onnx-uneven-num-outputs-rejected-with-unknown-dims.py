"""Split-18 with num_outputs = 2 of 7 elements is refused when it runs if the dim was unknown to the model.

Page Split-18, "Summary": where num_outputs does not divide the axis, the last part is the smaller one.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import numpy as np
import openvino as ov

# Split-18: float input[n], axis = 0, num_outputs = 2
MODEL = (
    "CAg6ggEKQwoFaW5wdXQSCG91dHB1dF8wEghvdXRwdXRfMSIFU3BsaXQqCwoEYXhpcxgAoAECKhIKC251bV9vdXRwdXRzGAKgAQIS"
    "AWdaFAoFaW5wdXQSCwoJCAESBQoDEgFuYhAKCG91dHB1dF8wEgQKAggBYhAKCG91dHB1dF8xEgQKAggBQgQKABAS"
)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(base64.b64decode(MODEL)), "CPU")
    outputs = compiled([np.zeros(7, np.float32)])
    actual = [outputs[index].shape for index in range(len(outputs))]
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected [(4,), (3,)]")
print("actual  ", actual)
sys.exit(actual != [(4,), (3,)])
