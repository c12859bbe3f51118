"""Which element of the data, or which constant, stands at each place of an output.

Elements have numbers: row-major, counted through all data inputs in order. -1 is the first constant, -2 the second.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, assert_never

from conformance.tensors.tensor import Tensor, gathered

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Places:
    """The number of the element at each place of the output, written out in row-major order."""

    shape: tuple[int, ...]
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Numbers from `start` on, that grow by one of the `strides` with each step along a dim."""

    start: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """Blocks one after the other along an axis of the output."""

    blocks: tuple[Block, ...]
    axis: int


@dataclass(frozen=True, slots=True)
class Permuted:
    """The main data with its dims in another order, whatever their lengths are."""

    order: tuple[int, ...]


Arrangement = Places | Block | Joined | Permuted


def row_major_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """By how many elements the number grows with each step along a dim."""
    return tuple(math.prod(shape[index + 1 :]) for index in range(len(shape)))


def arranged(arrangement: Arrangement, data: Sequence[Tensor], constants: Tensor | None) -> Tensor:
    """The output that has these elements of the data, bit for bit.

    Raises:
        ValueError: there is no element with one of the numbers, or the data inputs differ in type.
    """
    import numpy as np

    numbers = _numbers(arrangement, data[0].shape if data else ())
    count, constant_count = sum(tensor.size for tensor in data), 0 if constants is None else constants.size
    if numbers.size and not (-constant_count <= numbers.min() and numbers.max() < count):
        beyond = int(numbers.max() if numbers.max() >= count else numbers.min())
        raise ValueError(
            f"there is no element {beyond}: the data has {count}, and {constant_count} constants are given"
        )
    sources = data if constants is None else (*data, constants)
    return gathered(sources, np.where(numbers < 0, count - 1 - numbers, numbers))


def _numbers(arrangement: Arrangement, data_shape: tuple[int, ...]) -> NDArray[Any]:
    """The number of the element at each place of the output."""
    import numpy as np

    match arrangement:
        case Places(shape=shape, numbers=numbers):
            return np.array(numbers, np.int64).reshape(shape)
        case Block(start=start, shape=shape, strides=strides):
            total: NDArray[Any] = np.full(shape, start, np.int64)
            for axis, (dim, stride) in enumerate(zip(shape, strides, strict=True)):
                total += (np.arange(dim) * stride).reshape(-1, *[1] * (len(shape) - 1 - axis))
            return total
        case Joined(blocks=blocks, axis=axis):
            return np.concatenate([_numbers(block, data_shape) for block in blocks], axis)
        case Permuted(order=order):
            strides = row_major_strides(data_shape)
            shape = tuple(data_shape[dim] for dim in order)
            return _numbers(Block(start=0, shape=shape, strides=tuple(strides[dim] for dim in order)), data_shape)
        case _:
            assert_never(arrangement)
