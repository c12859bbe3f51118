"""torch.split with lengths whose sum wraps around 64 bits: accepted, with overlapping outputs of other lengths.

The page of OpenVINO VariadicSplit-1 (`split_lengths`) and of ONNX Split (`split`, 13 and 18): the lengths add up to the
dim along the axis, and each output is as long as its length. PyTorch adds them up in 64 bits; torch.compile does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import torch

data = torch.arange(6.0)
deviates = False
for lengths in ([2**62, 2**62, 2**62, 2**62, 6], [2**63 - 1, 2**63 - 1, 8]):
    try:
        actual = [tuple(part.shape) for part in torch.split(data, lengths)]
        deviates = True
    except RuntimeError as error:
        actual = f"rejected: {error}"
    print(f"lengths {lengths} of {len(data)} elements\n  expected rejected\n  actual   {actual}")
sys.exit(int(deviates))
