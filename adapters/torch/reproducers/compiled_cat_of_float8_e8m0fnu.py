"""torch.compile, with its default backend, of a split and a cat of float8_e8m0fnu on the CPU: an internal KeyError.

The pages of OpenVINO Split-1 (`data`) and Concat-1 take data of any type. PyTorch does the same without compiling it,
and compiles it for the other 8-bit floats. It needs a C++ compiler.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import torch


def halves_joined(data: torch.Tensor) -> torch.Tensor:
    """The data, cut in two and put together again."""
    return torch.cat(torch.split(data, [3, 3]))


data = torch.arange(6, dtype=torch.uint8).view(torch.float8_e8m0fnu)
expected = halves_joined(data).view(torch.uint8).tolist()
try:
    actual = torch.compile(halves_joined, fullgraph=True)(data).view(torch.uint8).tolist()
except RuntimeError as error:
    actual = f"rejected: {str(error).splitlines()[0]}"
print(f"expected {expected}\nactual   {actual}")
sys.exit(int(actual != expected))
