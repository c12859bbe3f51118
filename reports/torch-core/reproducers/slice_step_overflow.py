"""A range in brackets with a step near 2^63: no element, where the first one is due.

The pages of ONNX Slice (10, 11 and 13, `steps`) and of OpenVINO Slice-8 (`step`): from start to end, each step-th
element, and the first is always taken if the range holds one, as in Python's own lists.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import torch

data = torch.arange(6.0)
deviates = False
for step in (2**32, 2**63 - 5, 2**63 - 4, 2**63 - 1):
    expected, actual = data.tolist()[2:6:step], data[2:6:step].tolist()
    deviates = deviates or actual != expected
    print(f"data[2:6:{step}]\n  expected {expected}\n  actual   {actual}")
sys.exit(int(deviates))
