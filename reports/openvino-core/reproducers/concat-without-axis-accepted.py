"""Concat without an axis is accepted, and joins along axis 0.

Page Concat-1, "Attributes": axis is required.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import openvino as ov
from openvino.utils.node_factory import NodeFactory

inputs = [ov.op.Parameter(ov.Type.f32, ov.PartialShape([2, 2])) for _ in range(2)]
try:
    actual = NodeFactory("opset1").create("Concat", inputs, {}).get_output_partial_shape(0)
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
