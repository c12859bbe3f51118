"""A range in brackets with a step near 2^63 along a dim that is not the last: an error, where rows are due.

The page of OpenVINO Slice-8 (`step`): from start to stop, each step-th element, and a step may be any integer of its
type, as in Python's own lists.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import torch

data = torch.arange(6.0).reshape(3, 2)
deviates = False
for step in (2**31, 2**62 - 1, 2**63 - 1):
    expected = data.tolist()[0:0:step]
    try:
        actual = data[0:0:step].tolist()
    except RuntimeError as error:
        actual = error
    deviates = deviates or actual != expected
    print(f"data[0:0:{step}]\n  expected {expected}\n  actual   {actual}")
sys.exit(int(deviates))
