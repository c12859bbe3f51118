"""Numbers that follow from a seed, the same on every machine and in every version of Python."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from heapq import nsmallest
from random import Random
from typing import TypeVar

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
