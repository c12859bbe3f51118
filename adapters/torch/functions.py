"""The functions of PyTorch that split, and what each makes of a call.

All but `torch.split` with a list take no lengths: they are asked for equal parts alone, and only where the parts that
their page promises are those that the operator's page asks for.
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
    """The second argument of the function, or what tells it from the length of the axis.

    Raises:
        NotExpressible: the call asks for other parts than equal ones, which the function has no place for.
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
            return split.parts  # PyTorch refuses it itself
        lengths = wanted(length)
        assert isinstance(lengths, list)
        if _promised(function, length, lengths) != lengths:
            raise NotExpressible(f"{_words(function)} promises other parts than {lengths} of {length} elements")
        return lengths[0] if function is Function.SPLIT_SIZE else len(lengths)

    return argument


def lowered(function: Function, split: SplitCall) -> str:
    """What stands between the call and the function."""
    if function is Function.SPLIT:
        return split.lowered
    return "torch.split, the length of a part computed by the adapter" if function is Function.SPLIT_SIZE else ""


def _promised(function: Function, length: int, lengths: Sequence[int]) -> list[int]:
    """The parts by the page of the function, asked for these lengths."""
    count, size = len(lengths), lengths[0]
    if function is Function.TENSOR_SPLIT:
        return [length // count + (index < length % count) for index in range(count)]
    if not size:  # no multiple of nothing: torch.split makes one part, torch.chunk as many as it is asked for
        return [0] * (1 if function is Function.SPLIT_SIZE else count)
    return [min(size, length - start) for start in range(0, length, size)]


def _words(function: Function) -> str:
    return "torch.split with one number" if function is Function.SPLIT_SIZE else f"torch.{function.value}"
