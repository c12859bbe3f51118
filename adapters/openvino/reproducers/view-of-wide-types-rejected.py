"""A view of a tensor, openvino.Tensor(tensor, begin, end), is refused where the CPU plugin converts the type of its
inputs: int16, uint16, uint32, int64, uint64 and float64. A model without the operator refuses it as well.

Page VariadicSplit-1 (and Split-1), "Types": T1 is any supported type.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

WIDE = (np.int16, np.uint16, np.uint32, np.int64, np.uint64, np.float64)


def parts_of_view(dtype: type) -> str:
    """The parts of the first half of each row of a tensor, or the words of the refusal."""
    whole = ov.Tensor(np.arange(24, dtype=dtype).reshape(3, 8))
    data = ov.op.Parameter(whole.element_type, ov.PartialShape([3, 4]))
    split = ov.opset1.split(data, np.int64(1), 2)
    request = ov.Core().compile_model(ov.Model(split.outputs(), [data], "split"), "CPU").create_infer_request()
    try:
        request.set_input_tensor(ov.Tensor(whole, [0, 0], [3, 4]))
        request.start_async()
        request.wait()
    except RuntimeError as error:
        return str(error).strip().splitlines()[-1]
    return str([request.get_output_tensor(index).data.tolist() for index in range(2)])


expected = str([[[0, 1], [8, 9], [16, 17]], [[2, 3], [10, 11], [18, 19]]])
answers = [parts_of_view(dtype) for dtype in (np.int32, *WIDE)]
print("expected", expected)
print("int32   ", answers[0])
for dtype, answer in zip(WIDE, answers[1:], strict=True):
    print("actual  ", dtype.__name__, answer)
sys.exit(all("does not support" in answer for answer in answers[1:]))
