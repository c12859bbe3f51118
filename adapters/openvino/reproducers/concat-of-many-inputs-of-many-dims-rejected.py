"""Concat of a thousand tensors with seven dims of unknown length is refused when it runs.

OpenVINO Concat-1, "Inputs": there are any number of tensors, and they have any rank.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino
from openvino import opset13 as ops

deviates = False
for count, rank in ((257, 7), (1000, 5), (1000, 7)):
    given = [ops.parameter([-1] * rank, np.float32) for _ in range(count)]
    compiled = openvino.Core().compile_model(openvino.Model([ops.concat(given, 0)], given, "model"), "CPU")
    shape = [2] + [1] * (rank - 1)
    try:
        actual = list(compiled([np.zeros(shape, np.float32)] * count)[0].shape)
    except RuntimeError as error:
        actual = f"rejected: {str(error)[-60:].strip()}"
    expected = [2 * count, *shape[1:]]
    print(f"{count} tensors of {rank} dims\n  expected {expected}\n  actual   {actual}")
    deviates |= actual != expected
sys.exit(int(deviates))
