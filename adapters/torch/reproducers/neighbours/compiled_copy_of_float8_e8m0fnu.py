"""torch.compile, with its default backend, of a copy or a cat of float8_e8m0fnu on the CPU: an internal KeyError.

PyTorch does the same without compiling it, and compiles it for the other 8-bit floats. It needs a C++ compiler.

Exits with 1 if PyTorch deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import torch


def copied(data: torch.Tensor) -> torch.Tensor:
    """The data in other memory."""
    return data.clone()


def joined(data: torch.Tensor) -> torch.Tensor:
    """The data twice."""
    return torch.cat([data, data])


data = torch.arange(6, dtype=torch.uint8).view(torch.float8_e8m0fnu)
deviates = False
for function in (copied, joined):
    expected = function(data).view(torch.uint8).tolist()
    try:
        actual = torch.compile(function, fullgraph=True)(data).view(torch.uint8).tolist()
    except RuntimeError as error:
        actual = f"rejected: {str(error).splitlines()[0]}"
    print(f"{function.__name__}\nexpected {expected}\nactual   {actual}")
    deviates = deviates or actual != expected
sys.exit(int(deviates))
