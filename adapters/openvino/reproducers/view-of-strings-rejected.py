"""A view of a tensor of strings, openvino.Tensor(tensor, begin, end), is refused. A model without the operator
refuses it as well.

Page VariadicSplit-1 (and Split-1), "Types": T1 is any supported type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

whole = ov.Tensor([str(number) for number in range(24)])
whole.shape = [3, 8]
data = ov.op.Parameter(ov.Type.string, ov.PartialShape([3, 4]))
split = ov.opset1.split(data, np.int64(1), 2)
request = ov.Core().compile_model(ov.Model(split.outputs(), [data], "split"), "CPU").create_infer_request()
print("expected two parts of two columns")
try:
    request.set_input_tensor(ov.Tensor(whole, [0, 0], [3, 4]))
    request.start_async()
    request.wait()
except RuntimeError as error:
    print("actual  ", str(error).strip().splitlines()[-1])
    sys.exit(1)
print("actual  ", [request.get_output_tensor(index).shape for index in range(2)])
