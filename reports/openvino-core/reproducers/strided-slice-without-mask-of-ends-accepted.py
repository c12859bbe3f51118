"""A StridedSlice without the mask of its ends is accepted.

Page StridedSlice-1, "Attributes": end_mask is required.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from openvino.utils.node_factory import NodeFactory

data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([4]))
bounds = [ov.opset1.constant(np.array([value], np.int64)) for value in (0, 1, 1)]
try:
    node = NodeFactory("opset1").create("StridedSlice", [data, *bounds], {"begin_mask": [0]})
    compiled = ov.Core().compile_model(ov.Model([node], [data], "slice"), "CPU")
    actual = compiled([np.zeros([4], np.float32)])[0].shape
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not isinstance(actual, str))
