"""What is known of a call while it is made, and the values that its arguments can get."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from conformance.language.making.dice import Dice


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
ValueMaker = Callable[[Setting], Made | None]


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
