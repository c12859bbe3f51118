"""Broadcast takes a mode in capital letters.

Page Broadcast-3, "Attributes": the mode is numpy, explicit or bidirectional.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov
from openvino.utils.node_factory import NodeFactory

expected = "an error"
try:
    data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([1]))
    target = ov.op.Constant(np.array([2]))
    inputs = [data.output(0), target.output(0)]
    node = NodeFactory("opset3").create("Broadcast", inputs, {"mode": "NUMPY"})
    model = ov.Model([node], [data], "broadcast")
    compiled = ov.Core().compile_model(model, "CPU")
    actual = str(compiled([np.ones(1, np.float32)])[0].tolist())
except RuntimeError:
    actual = "an error"
print("expected", expected)
print("actual  ", actual)
sys.exit(actual != expected)
