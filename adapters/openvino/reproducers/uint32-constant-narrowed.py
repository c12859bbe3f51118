"""A split of a uint32 constant loses all that is beyond 2**31 - 1.

Page VariadicSplit-1 (and Split-1), "Outputs": the parts of `data`, of the same type; "Types": any supported type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

values = np.array([0xFFFFFFFF, 0x80000000, 1, 2, 3, 4], np.uint32)
data = ov.op.Constant(values)
split = ov.opset1.variadic_split(data, np.int64(0), np.array([2, 4]))
request = ov.Core().compile_model(ov.Model(split.outputs(), [], "split"), "CPU").create_infer_request()
request.start_async()
request.wait()
actual = [request.get_output_tensor(index).data.tolist() for index in range(2)]
print("expected", [values[:2].tolist(), values[2:].tolist()])
print("actual  ", actual)
sys.exit(actual != [values[:2].tolist(), values[2:].tolist()])
