"""What stands in a law: whole numbers, lists, arrays of places, and tensors whose elements have numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from conformance.language.elements import row_major_strides

if TYPE_CHECKING:
    from numpy.typing import NDArray

LawValue: TypeAlias = Any
"""An int, a bool, a list of law values, an array of int64 or bool, `DataInput`, `OneOf` or `Numbers`."""

NOWHERE = -(1 << 62)
"""In place of the number of an element that no tensor has."""
ZERO = -1
"""In place of the number of an element: the zero of the type of the data, or the empty string. It stands last, behind
all elements.
"""


class LawError(ValueError):
    """A law that cannot be evaluated for a call, or that addresses no element."""


class LawWorkError(LawError):
    """A law that needs too many steps for a call, such as one with very large outputs."""


@dataclass(frozen=True, slots=True)
class DataInput:
    """A data input. Its elements have the numbers from `start` on, in row-major order."""

    shape: tuple[int, ...]
    start: int

    def at(self, places: Sequence[LawValue]) -> LawValue:
        """The number of the element at a place; `NOWHERE` outside."""
        if len(places) != len(self.shape):
            raise LawError(f"{len(places)} indices for data with {len(self.shape)} dims")
        inside = within(places, self.shape)
        number = row_major(places, self.shape) + self.start
        return number if inside is True else chosen(inside, number, NOWHERE)

    def flat(self, number: LawValue) -> LawValue:
        """The number of the element with a row-major number of its own; `NOWHERE` outside."""
        return chosen(within([number], [math.prod(self.shape)]), number + self.start, NOWHERE)


@dataclass(frozen=True, slots=True)
class OneOf:
    """Another of several data inputs at each place: `of` has its position."""

    several: tuple[DataInput, ...]
    of: NDArray[Any]

    def at(self, places: Sequence[LawValue]) -> LawValue:
        """The number of the element at a place of the data input that `of` names there; `NOWHERE` outside."""
        import numpy as np

        if any(len(places) != len(one.shape) for one in self.several):
            raise LawError(
                f"{len(places)} indices for data with {' or '.join(str(len(o.shape)) for o in self.several)}"
            )
        shapes = np.array([one.shape for one in self.several], np.int64)
        strides = np.array([row_major_strides(one.shape) for one in self.several], np.int64)
        inside = within(places, [shapes[:, dim][self.of] for dim in range(len(places))])
        number = np.array([one.start for one in self.several], np.int64)[self.of]
        for dim, at in enumerate(places):
            number = number + at * strides[:, dim][self.of]
        return chosen(inside, number, NOWHERE)


@dataclass(frozen=True, slots=True)
class Numbers:
    """An input of whole numbers, of any rank."""

    values: NDArray[Any]

    @property
    def shape(self) -> tuple[int, ...]:
        """The dims."""
        return tuple(self.values.shape)

    def at(self, places: Sequence[LawValue]) -> LawValue:
        """The number at a place."""
        if len(places) != self.values.ndim:
            raise LawError(f"{len(places)} indices for numbers with {self.values.ndim} dims")
        try:
            return self.values[tuple(places)]
        except IndexError as error:
            raise LawError(str(error)) from None


def row_major(places: Sequence[LawValue], shape: Sequence[int]) -> LawValue:
    """The row-major number of a place."""
    return sum((at * by for at, by in zip(places, row_major_strides(shape), strict=True)), 0)


def within(places: Sequence[LawValue], shape: Sequence[LawValue]) -> LawValue:
    """Whether each index is at least 0 and below the length of its dim: True if all are, at every place."""
    import numpy as np

    inside: LawValue = True
    for at, length in zip(places, shape, strict=True):
        fits = (at >= 0) & (at < length)
        if not np.all(fits):  # else no array with an entry for each element of the output is needed
            inside = inside & fits
    return inside


def chosen(condition: LawValue, one: LawValue, other: LawValue) -> LawValue:
    """The one where the condition holds, and else the other."""
    if isinstance(condition, bool | int):
        return one if condition else other
    import numpy as np

    return np.where(condition, one, other)
