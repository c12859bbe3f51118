"""A row of indices without entries names all of the data, and OpenVINO does not replace it.

OpenVINO ScatterNDUpdate-3, "Detailed description": a row with fewer indices than the data has dims names a slice.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino
from openvino import opset4 as ops

deviates = False
for dims in ([0], [1, 0]):
    data = ops.parameter([2], np.float32)
    indices = ops.parameter(dims, np.int64)
    updates = ops.parameter([*dims[:-1], 2], np.float32)
    node = ops.scatter_nd_update(data, indices, updates)
    compiled = openvino.Core().compile_model(openvino.Model([node], [data, indices, updates], "model"), "CPU")
    given = [np.array([0, 1], np.float32), np.empty(dims, np.int64), np.full([*dims[:-1], 2], 5, np.float32)]
    actual = compiled(given)[0].tolist()
    print(f"indices of the shape {dims}\n  expected [5.0, 5.0]\n  actual   {actual}")
    deviates |= actual != [5, 5]
sys.exit(int(deviates))
