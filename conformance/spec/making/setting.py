"""What a class of an argument is, what is known of a call while it is made, and the seed's numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from random import Random
from typing import TypeVar

from conformance.tensors.dtypes import INTEGERS

_Drawn = TypeVar("_Drawn")


_MOST_SHUFFLED = 1 << 16
"""Items of which some are drawn by a number for each of them."""


class Dice:
    """Draws from a seed. Only `random()` is used, which Python promises to keep."""

    def __init__(self, *words: object) -> None:
        digest = hashlib.sha256("\0".join(map(str, words)).encode()).digest()
        self._draw = Random(int.from_bytes(digest[:8], "little")).random  # noqa: S311 - the same for each user

    def number(self, first: int, last: int) -> int:
        """A whole number from `first` to `last`, both included."""
        return first + int(self._draw() * (last - first + 1))

    def one_of(self, items: Sequence[_Drawn]) -> _Drawn:
        """One of the items."""
        return items[self.number(0, len(items) - 1)]

    def shuffled(self, items: Sequence[_Drawn]) -> list[_Drawn]:
        """The items in another order."""
        return [item for _, _, item in sorted((self._draw(), place, item) for place, item in enumerate(items))]

    def some_of(self, items: Sequence[_Drawn], count: int) -> list[_Drawn]:
        """So many different items, or all if there are fewer, in any order."""
        if len(items) <= _MOST_SHUFFLED:
            drawn = [self._draw() for _ in items]
            return [items[place] for place in nsmallest(count, range(len(items)), drawn.__getitem__)]
        places = dict[int, None]()
        while len(places) < count:
            places[self.number(0, len(items) - 1)] = None
        return [items[place] for place in places]


@dataclass(slots=True)
class Setting:
    """What is known of a call while it is made.

    `shape` is that of the main data, `axis` the dim that an axis addresses, counted from the front, and `count` the
    number of entries of each list of the call that goes with others. `axes` is the list of axes, if there is one, and
    `steps` that of steps. `starts` are the places at which ranges start, once the first bounds of ranges are known,
    and `is_full` whether the bounds that are made are such that ranges have elements.
    """

    dice: Dice
    shape: tuple[int, ...]
    axis: int = 0
    count: int = field(default=1)
    axes: Sequence[int] | None = None
    steps: Sequence[int] = ()
    starts: Sequence[int] | None = None
    is_full: bool = False

    def is_backwards(self, at: int) -> bool:
        """Whether the range of an entry goes backwards."""
        return at < len(self.steps) and self.steps[at] < 0

    @property
    def rank(self) -> int:
        """The rank of the main data."""
        return len(self.shape)

    @property
    def length(self) -> int:
        """The length of the axis; 0 if there is none."""
        return self.shape[self.axis] if -self.rank <= self.axis < self.rank else 0


@dataclass(frozen=True, slots=True)
class MadeNumbers:
    """Whole numbers in row-major order; a shape without dims is one number."""

    items: tuple[int, ...]
    shape: tuple[int, ...]


Made = MadeNumbers | float | str
"""Whole numbers, a number that stands in an output, or a word."""
NumbersMaker = Callable[[Setting], MadeNumbers | None]
"""Makes a value that fits the data and the arguments that are there already; None if its class has none there."""
ValueMaker = Callable[[Setting], Made | None]


@dataclass(frozen=True, slots=True)
class GivenNumbers:
    """The numbers of an argument besides the data, their dims and type, and the shape of the main data."""

    numbers: Sequence[int]
    dims: tuple[int, ...]
    dtype: str
    shape: tuple[int, ...]

    @property
    def rank(self) -> int:
        """The number of dims; 0 of one number."""
        return len(self.dims)

    @property
    def from_end(self) -> Sequence[int]:
        """The numbers below 0."""
        return [number for number in self.numbers if number < 0]

    @property
    def dim(self) -> int:
        """The dim of the data that the first number addresses, counted from the front."""
        return self.numbers[0] % max(1, len(self.shape))


ClassPredicate = Callable[[GivenNumbers], bool]


@dataclass(frozen=True, slots=True)
class Class:
    """A class of an argument: whether given numbers are of it, and what makes a value of it.

    Without `holds`, a made call counts for the other classes that its numbers have; without `make`, only the chance of
    another class, or a written case, shows it.
    """

    name: str
    holds: ClassPredicate | None = None
    make: ValueMaker | None = None


def one(number: int) -> MadeNumbers:
    """One number without dims."""
    return MadeNumbers((number,), ())


def several(items: Sequence[int]) -> MadeNumbers:
    """A list of numbers."""
    return MadeNumbers(tuple(items), (len(items),))


def unsorted(numbers: list[int]) -> list[int]:
    """Different numbers in an order that is not sorted from either end; none if there are too few."""
    found = sorted(numbers)
    return [*found[1:], found[0]] if len(found) > 2 else []


def is_empty(given: GivenNumbers) -> bool:
    """Whether there are no numbers."""
    return not given.numbers


def has_one(given: GivenNumbers) -> bool:
    """Whether there is one number."""
    return len(given.numbers) == 1


def beyond(bits: int, make: ValueMaker | None = None) -> Class:
    """The class of numbers of which one does not fit into so many bits."""
    return Class(f"beyond {bits} bits", lambda g: any(abs(number) >= 1 << bits for number in g.numbers), make)


def _of_type(dtype: str) -> Class:
    return Class(dtype, lambda g: g.dtype == dtype)


TYPES = tuple(map(_of_type, INTEGERS))
"""The classes of the types of numbers."""
