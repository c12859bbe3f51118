"""The functions of PyTorch that split, and the arguments of each for a call.

Only `torch.split` with a list takes lengths. The others run only for equal parts, and only if their page promises the
same parts as the operator's page requires.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum

from conformance.adapter import NotExpressible

from .split_call import SplitCall


class Function(Enum):
    """A value of the option `function`."""

    SPLIT = "split"
    """`torch.split` with a list of lengths."""
    SPLIT_SIZE = "split-size"
    """`torch.split` with the length of each part."""
    CHUNK = "chunk"
    """`torch.chunk` with the number of parts."""
    TENSOR_SPLIT = "tensor_split"
    """`torch.tensor_split` with the number of parts."""

    @property
    def name_in_torch(self) -> str:
        """The function of the module `torch`."""
        return "split" if self is Function.SPLIT_SIZE else self.value


def lengths_or_parts(function: Function, split: SplitCall) -> object | Callable[[int], object]:
    """The second argument of the function, or a function that computes it from the length of the axis.

    Raises:
        NotExpressible: the call requires parts that the function cannot make.
    """
    if function is Function.SPLIT:
        return split.lengths
    if split.parts is None:
        raise NotExpressible(f"{_words(function)} has no place for a list of lengths")
    wanted = split.lengths
    assert callable(wanted)

    def argument(length: int) -> object:
        is_number = type(split.parts) is int and split.parts > 0
        if not is_number and function is not Function.SPLIT_SIZE and not isinstance(split.parts, list):
            return split.parts  # PyTorch itself rejects it
        lengths = wanted(length)
        assert isinstance(lengths, list)
        if _promised(function, length, lengths) != lengths:
            raise NotExpressible(f"{_words(function)} promises other parts than {lengths} of {length} elements")
        return lengths[0] if function is Function.SPLIT_SIZE else len(lengths)

    return argument


def lowered(function: Function, split: SplitCall) -> str:
    """How the adapter converted the call to the function, as in `Prepared.lowered`."""
    if function is Function.SPLIT:
        return split.lowered
    return "torch.split, the length of a part computed by the adapter" if function is Function.SPLIT_SIZE else ""


def _promised(function: Function, length: int, lengths: Sequence[int]) -> list[int]:
    """The parts that the page of the function promises, if it is called for these lengths."""
    count, size = len(lengths), lengths[0]
    if function is Function.TENSOR_SPLIT:
        return [length // count + (index < length % count) for index in range(count)]
    if not size:  # an empty axis: torch.split makes one part, torch.chunk as many as requested
        return [0] * (1 if function is Function.SPLIT_SIZE else count)
    return [min(size, length - start) for start in range(0, length, size)]


def _words(function: Function) -> str:
    return "torch.split with one number" if function is Function.SPLIT_SIZE else f"torch.{function.value}"
