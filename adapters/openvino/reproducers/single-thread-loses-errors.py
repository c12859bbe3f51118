"""With INFERENCE_NUM_THREADS=1, a synchronous `infer` loses the errors of kernels and gives outputs: lengths that come
at run time and do not sum up are answered, and refused with 2 threads or by start_async.

Page VariadicSplit-1, "Inputs", 3: the lengths add up to the dim along the axis.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov


def answer(threads: int) -> str:
    """What a split of 6 elements into 2 and 2 gives, with that many threads."""
    data, axis, lengths = (
        ov.op.Parameter(element, ov.PartialShape(shape))
        for element, shape in ((ov.Type.f32, [2, 6]), (ov.Type.i64, []), (ov.Type.i64, [2]))
    )
    model = ov.Model(ov.opset1.variadic_split(data, axis, lengths).outputs(), [data, axis, lengths], "split")
    compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_NUM_THREADS": threads})
    try:
        outputs = compiled([np.zeros((2, 6), np.float32), np.int64(1), np.array([2, 2])])
    except RuntimeError as error:
        return "an error: " + str(error).strip().splitlines()[-1]
    return f"outputs of shape {[outputs[index].shape for index in range(2)]}"


actual = answer(1)
print("expected", answer(2))
print("actual  ", actual)
sys.exit(not actual.startswith("an error"))
