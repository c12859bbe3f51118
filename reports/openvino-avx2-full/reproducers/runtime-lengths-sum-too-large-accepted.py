"""Lengths [7, -1] of 6 elements that come at run time beside a constant axis are accepted, and the first part has 7
elements: the last is read from behind the end of the data. Static or unknown dims of the data make no difference.

Page VariadicSplit-1, "Inputs", 3: the lengths add up to the dim along the axis; a -1 stands
for what the others leave, of which there are not fewer than none.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

deviates = False
for dims in ([6], [-1]):
    for given in ([7, -1], [-1, 7]):
        data = ov.op.Parameter(ov.Type.f32, ov.PartialShape(dims))
        lengths = ov.op.Parameter(ov.Type.i64, ov.PartialShape([2]))
        try:
            split = ov.opset1.variadic_split(data, np.int64(0), lengths)
            compiled = ov.Core().compile_model(ov.Model(split.outputs(), [data, lengths], "split"), "CPU")
            outputs = compiled([np.arange(6, dtype=np.float32), np.array(given)])
            actual = [outputs[index].tolist() for index in range(len(outputs))]
        except RuntimeError as error:
            actual = "an error: " + str(error).strip().splitlines()[-1]
        print(f"data of {dims}, lengths {given}\n  expected an error\n  actual   {actual}")
        deviates |= not isinstance(actual, str)
sys.exit(int(deviates))
