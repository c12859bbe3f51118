"""StridedSlice without strides is rejected if the rank of the begins is unknown. With strides it is made.

Page StridedSlice-1, "Inputs": without the optional strides, each is 1.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import openvino as ov
from openvino.utils.node_factory import NodeFactory

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([4]))
bounds = [ov.op.Parameter(ov.Type.i64, ov.PartialShape.dynamic()) for _ in "be"]
masks = {"begin_mask": [0], "end_mask": [0]}
try:
    NodeFactory("opset1").create("StridedSlice", [data.output(0), *(one.output(0) for one in bounds)], masks)
    actual = "made"
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected made")
print("actual  ", actual)
sys.exit(actual != "made")
