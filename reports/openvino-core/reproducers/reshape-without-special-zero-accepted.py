"""Reshape without special_zero is accepted, and 0 is a length.

Page Reshape-1, "Attributes": special_zero is required.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from openvino.utils.node_factory import NodeFactory

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([2, 3]))
shape = ov.op.Constant(np.array([3, 2]))
try:
    actual = str(NodeFactory("opset1").create("Reshape", [data, shape], {}).get_output_partial_shape(0))
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(actual == "[3,2]")
