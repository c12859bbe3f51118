"""What a reference is, and how it moves elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeAlias

from conformance.language.broken_clause import Arguments, BrokenClauseError, UncoveredCallError
from conformance.values.tensor import Tensor

if TYPE_CHECKING:
    from numpy.typing import NDArray

Reference: TypeAlias = Callable[[Arguments, int], tuple[Tensor, ...]]
"""The outputs that the page of an operator version requires, from the arguments and the number of declared outputs.

It raises `BrokenClauseError` for arguments that the page forbids.
"""


_MOST_ELEMENTS, _MOST_PLACES = 1 << 30, 1 << 60
"""Of an output that a reference makes, and the product of its dims other than 0, which NumPy counts."""


def refuse_unheld(shape: Sequence[int]) -> None:
    """Refuse to make an output of this shape if most machines have no memory for it.

    Raises:
        UncoveredCallError: it has too many elements, or NumPy cannot count them.
    """
    if math.prod(shape) > _MOST_ELEMENTS or math.prod(length or 1 for length in shape) >= _MOST_PLACES:
        raise UncoveredCallError(f"an output of the shape {list(shape)} is not made")


def numbers_of(data: Tensor) -> NDArray[Any]:
    """The row-major number of each element, in the shape of the data: what moves them moves the data."""
    import numpy as np

    return np.arange(data.size).reshape(data.shape)


def repeated_shape(one: Sequence[int], other: Sequence[int], clause: str) -> tuple[int, ...]:
    """The dims of two shapes, aligned at the last one, where one of both may be 1 or missing. NumPy has the same rule,
    and refuses lengths that only data without elements can have.

    Raises:
        BrokenClauseError: two dims differ, and none of them is 1; or one is below 0.
        UncoveredCallError: no memory holds an output of that shape.
    """
    pairs = list(zip_longest(reversed(one), reversed(other), fillvalue=1))[::-1]
    if any((1 not in pair and pair[0] != pair[1]) or min(pair) < 0 for pair in pairs):
        raise BrokenClauseError(clause, f"the shapes {list(one)} and {list(other)} differ in a dim that is not 1")
    shape = tuple(second if first == 1 else first for first, second in pairs)
    refuse_unheld(shape)
    return shape
