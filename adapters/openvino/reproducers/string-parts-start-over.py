"""Strings that are split along the first axis with known dims: each part starts again at the first string.

Page VariadicSplit-1 (and Split-1), "Outputs": the parts follow each other along the axis; "Types": T1 is any supported
type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os

import numpy as np
import openvino as ov

data = ov.op.Parameter(ov.Type.string, ov.PartialShape([6]))
split = ov.opset1.variadic_split(data, np.int64(0), np.array([2, 4]))
compiled = ov.Core().compile_model(ov.Model(split.outputs(), [data], "split"), "CPU")
request = compiled.create_infer_request()
strings = ov.Tensor(["a", "b", "c", "d", "e", "f"])
request.set_input_tensor(strings)
request.start_async()
request.wait()
expected = [["a", "b"], ["c", "d", "e", "f"]]
actual = [request.get_output_tensor(index).str_data.tolist() for index in range(2)]
print("expected", expected)
print("actual  ", actual, flush=True)
os._exit(actual != expected)  # the parts own the strings of the data, so that releasing them can end the process
