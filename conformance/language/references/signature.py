"""What a reference is, and how it moves elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from conformance.language.broken_clause import Arguments
from conformance.values.tensor import Tensor

if TYPE_CHECKING:
    from numpy.typing import NDArray

Reference: TypeAlias = Callable[[Arguments, int], tuple[Tensor, ...]]
"""The outputs that the page of an operator version requires, from the arguments and the number of declared outputs.

It raises `BrokenClauseError` for arguments that the page forbids.
"""


def numbers_of(data: Tensor) -> NDArray[Any]:
    """The row-major number of each element, in the shape of the data: what moves them moves the data."""
    import numpy as np

    return np.arange(data.size).reshape(data.shape)
