"""What stands in a law (whole numbers, lists, arrays of places, tensors with numbered elements), and its functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias

from conformance.spec.elements import row_major_strides

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


MAX_LENGTH = 1 << 16
"""The longest list that a law makes: as many as a case has outputs."""
MAX_BITS = 1 << 12
"""Of a number: the product of the dims of any tensor has fewer."""


def bounded(value: LawValue) -> LawValue:
    """The value.

    Raises:
        LawError: it is a number with more than `MAX_BITS`.
    """
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise LawError("a number of the law is too large")
    return value


def _rank(tensor: DataInput | Numbers) -> int:
    return len(tensor.shape)


def _size(value: DataInput | Numbers | Sequence[LawValue]) -> int:
    return math.prod(value.shape) if isinstance(value, DataInput | Numbers) else len(value)


def _range(*bounds: int) -> list[int]:
    numbers = range(*bounds)
    if len(numbers) > MAX_LENGTH:
        raise LawError(f"a list of {len(numbers)} numbers; {MAX_LENGTH} are allowed")
    return list(numbers)


def _from_end(index: LawValue, length: LawValue) -> LawValue:
    return chosen(index < 0, index + length, index)


def _clip(value: LawValue, low: LawValue, high: LawValue) -> LawValue:
    value = chosen(value < low, low, value)
    return chosen(value > high, high, value)


def _index_of(value: int, items: Sequence[int]) -> int:
    return items.index(value)


def _part_of(index: LawValue, ends: Sequence[int]) -> LawValue:
    import numpy as np

    return np.searchsorted(ends, index, side="right")


def _product(items: Sequence[LawValue]) -> LawValue:
    product: LawValue = 1
    for item in items:
        product = bounded(product * item)
    return product


def _cumsum(items: Sequence[int]) -> list[int]:
    return [*accumulate(items, initial=0)][1:]  # 0 can be added to numbers alone: lists would become ever longer


def _row_for(place: Sequence[LawValue], shape: Sequence[int], indices: Numbers) -> LawValue:
    import numpy as np

    count = math.prod(indices.shape[:-1])
    named = [
        _from_end(column, length) for column, length in zip(np.moveaxis(indices.values, -1, 0), shape, strict=True)
    ]
    if not np.all(within(named, shape)):
        raise LawError("an index is beyond its dim")
    rows = np.full(math.prod(shape), -1)
    places = row_major([column.reshape(-1) for column in named], shape)
    rows[np.broadcast_to(places, (count,))] = np.arange(count)  # an index of no depth is one number, for all rows
    return rows[row_major(place, shape)]


def repeated(one: LawValue, other: LawValue) -> int:
    """The entries of `[0] * n`, before they are made."""
    items, times = (one, other) if isinstance(one, list) else (other, one)
    return len(items) * max(times, 0) if isinstance(items, list) and isinstance(times, int) else 0


FUNCTIONS: Mapping[str, Callable[..., LawValue]] = {
    "rank": _rank,
    "size": _size,
    "range": _range,
    "from_end": _from_end,
    "where": chosen,
    "clip": _clip,
    "min": min,
    "max": max,
    "sum": lambda items: sum(items, 0),
    "product": _product,
    "cumsum": _cumsum,
    "sorted": sorted,
    "row_major": row_major,
    "index_of": _index_of,
    "part_of": _part_of,
    "row_for": _row_for,
    "first_of": lambda element, other: chosen(element == NOWHERE, other, element),
}
"""`where(condition, one, other)` and `clip` go place by place; `from_end(i, n)` is i + n for a negative i.

`rank` is the number of dims of a tensor. `size` is the number of its elements, or of the entries of a list.
`row_major(o, shape)` is the row-major number of a place. `index_of(value, list)` is where a list has a value first.
`part_of(i, ends)` is the number of the part in which an index lies, where parts end at `ends`. `row_for(o,
shape, indices)` is the number of the last row of indices that names a place, or -1 if none does. `first_of(element,
other)` is the element, and where the data has no such element the other.
"""
