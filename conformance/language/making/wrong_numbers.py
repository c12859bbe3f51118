"""How the numbers of an argument go wrong, by its kind: what may be written in the place of valid numbers.

A class lists numbers, and the reference says which of them the page forbids. Nothing here knows an operator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from conformance.language.kinds import ArgumentKind

WholeNumbers = tuple[int, ...]
_FAR, _WRAP = 100, 1 << 32
_FOLD = 62
"""Four times 2^62 are nothing in 64 bits."""


@dataclass(frozen=True, slots=True)
class ValidNumbers:
    """The numbers of an argument of a valid call, the shape of its main data, the number of dims that axes address,
    and what the argument's type holds.
    """

    items: WholeNumbers
    data: tuple[int, ...]
    dims: int
    held: range

    @property
    def rank(self) -> int:
        """The rank of the main data."""
        return len(self.data)

    @property
    def most(self) -> int:
        """A number that nothing in the call reaches."""
        return max((*self.data, self.dims)) + len(self.items) + 2


WrongNumbers = Callable[[ValidNumbers], Iterable[WholeNumbers]]
"""Numbers, the furthest from the valid ones first. Of those at the beginning that the page forbids for one reason, the
last ones are the wrong numbers: the nearest to the limit. A list of another length is one with one dim.
"""
_WrongNumber = Callable[[int, ValidNumbers], Iterable[int]]


def _least(valid: ValidNumbers) -> WholeNumbers:
    """The least number of a type with a sign."""
    return (valid.held[0],) if valid.held[0] else ()


_ONE: Mapping[str, _WrongNumber] = {
    "one beyond": lambda number, valid: range(valid.most, max(number, -1), -1),
    "one before": lambda number, valid: range(-valid.most, min(number, 0)),
    "far beyond": lambda number, valid: (valid.most + _FAR,),
    "beyond 32 bits": lambda number, valid: (number + _WRAP,),
    "below 32 bits": lambda number, valid: (number - _WRAP,),
    "greatest": lambda number, valid: (valid.held[-1],),
    "least": lambda number, valid: _least(valid),
}
_DIM: Mapping[str, _WrongNumber] = {
    **_ONE,
    "one beyond": lambda number, valid: (valid.dims,),
    "two beyond": lambda number, valid: (valid.dims + 1,),
    "a multiple": lambda number, valid: (2 * valid.dims,) if valid.dims > 1 else (),
    "one before": lambda number, valid: range(-valid.most, 0),
    "two before": lambda number, valid: (-valid.dims - 2, -2),
}
"""Dims of the data, or of an output with more dims."""
_PLACES: Mapping[str, tuple[int, Callable[[int], int]]] = {
    "first": (1, lambda count: 0),
    "inner": (3, lambda count: count // 2),
    "last": (2, lambda count: count - 1),
}
"""The places of a list, each with the number of entries that it needs."""


def _alone(ones: Mapping[str, _WrongNumber]) -> dict[str, WrongNumbers]:
    """The classes of one number."""

    def wrong(one: _WrongNumber) -> WrongNumbers:
        return lambda valid: ((number,) for number in one(valid.items[0], valid)) if len(valid.items) == 1 else ()

    return {name: wrong(one) for name, one in ones.items()}


def _at_each_place(ones: Mapping[str, _WrongNumber]) -> dict[str, WrongNumbers]:
    """The classes of one entry of a list, once for each place."""

    def wrong(least: int, place_in: Callable[[int], int], one: _WrongNumber) -> WrongNumbers:
        def found(valid: ValidNumbers) -> Iterable[WholeNumbers]:
            if len(valid.items) < least:
                return
            place = place_in(len(valid.items))
            for number in one(valid.items[place], valid):
                yield _with(valid.items, place, number)

        return found

    return {f"{place} {name}": wrong(*at, one) for place, at in _PLACES.items() for name, one in ones.items()}


def _with(items: WholeNumbers, place: int, number: int) -> WholeNumbers:
    place %= len(items)
    return (*items[:place], number, *items[place + 1 :])


def _one_twice(valid: ValidNumbers) -> Iterable[WholeNumbers]:
    return [_with(valid.items, -1, valid.items[0])] if len(valid.items) > 1 else []


def _one_twice_from_the_end(valid: ValidNumbers) -> Iterable[WholeNumbers]:
    """The first entry again, counted from the other end."""
    if len(valid.items) > 1:
        first = valid.items[0]
        yield _with(valid.items, -1, first + (valid.dims if first < 0 else -valid.dims))


def _one_twice_with_the_right_sum(valid: ValidNumbers) -> Iterable[WholeNumbers]:
    """The middle of three numbers in place of both others."""
    found = sorted(valid.items)[:3]
    if len(found) == 3 and found[2] - found[1] == found[1] - found[0]:
        yield tuple(found[1] if number in found else number for number in valid.items)


def _another_axis(valid: ValidNumbers) -> Iterable[WholeNumbers]:
    """An axis more that is not named yet."""
    named = {number % valid.dims for number in valid.items if valid.dims}
    free = [dim for dim in range(valid.dims) if dim not in named]
    if valid.items and free:
        yield (*valid.items, free[0])


def _none(valid: ValidNumbers) -> Iterable[WholeNumbers]:
    return [()] if len(valid.items) > 1 else []


def _twice(valid: ValidNumbers) -> Iterable[WholeNumbers]:
    return [valid.items * 2] if valid.items else []


_FEWER: Mapping[str, WrongNumbers] = {
    "one too few": lambda valid: [valid.items[:-1]] if valid.items else [],
    "two too few": lambda valid: [valid.items[:-2]] if len(valid.items) > 2 else [],
    "half as many": lambda valid: [valid.items[: len(valid.items) // 2]] if len(valid.items) > 1 else [],
}
_LISTS: Mapping[str, WrongNumbers] = {
    **_FEWER,
    "none": _none,
    "one too many": lambda valid: [(*valid.items, valid.items[-1])] if valid.items else [],
    "two too many": lambda valid: [(*valid.items, *valid.items[-1:] * 2)] if valid.items else [],
    "twice as many": _twice,
}
"""Lists that go with others."""
_LISTS_OF_AXES: Mapping[str, WrongNumbers] = {**_FEWER, "one too many": _another_axis}
"""Axes that go with other lists: an empty list of them may mean all."""


def _is_filled(valid: ValidNumbers) -> bool:
    """Whether no dim of the data can be repeated, so that a large shape is not one of a large output."""
    return 1 not in valid.data and len(valid.items) <= valid.rank


_LENGTH_OF_SHAPE: Mapping[str, _WrongNumber] = {
    "one more": lambda number, valid: (number + 1,) if number > 0 else (),
    "one less": lambda number, valid: (number - 1,) if number > 1 else (),
    "doubled": lambda number, valid: (2 * number,) if number > 1 else (),
    "halved": lambda number, valid: (number // 2,) if number > 2 and number % 2 == 0 else (),
    "below -1": lambda number, valid: (-2,),
    "beyond 32 bits": lambda number, valid: (number + _WRAP,) if _is_filled(valid) and number > 0 else (),
    "greatest": lambda number, valid: (valid.held[-1],) if _is_filled(valid) else (),
    "least": lambda number, valid: _least(valid),
}


_LENGTH_OF_TARGET: Mapping[str, _WrongNumber] = {
    **_LENGTH_OF_SHAPE,
    "zero": lambda number, valid: (0,),
    "one": lambda number, valid: (1,),
    "minus one": lambda number, valid: (-1,) if _is_filled(valid) and number > 1 else (),
}


def _two_inferred(valid: ValidNumbers) -> Iterable[WholeNumbers]:
    return [(-1, *valid.items[1:-1], -1)] if len(valid.items) > 1 else []


def _indivisible(valid: ValidNumbers) -> Iterable[WholeNumbers]:
    """An inferred length beside one that does not divide."""
    for number in range(valid.most, 1, -1):
        yield (-1, number)


def _product_wraps(valid: ValidNumbers) -> Iterable[WholeNumbers]:
    """The shape with a further dim, so that the product is the right one in 64 bits."""
    size = math.prod(valid.data)
    power = (size & -size).bit_length() - 1
    if -1 not in valid.items and 1 < power < 64 and _is_filled(valid):
        yield (*valid.items, (1 << 64 - power) + 1)


_LENGTH: Mapping[str, _WrongNumber] = {
    "one more": lambda number, valid: (number + 1,),
    "one less": lambda number, valid: (number - 1,) if number > 0 else (),
    "doubled": lambda number, valid: (2 * number,) if number > 1 else (),
    "halved": lambda number, valid: (number // 2,) if number > 1 else (),
    "beyond 32 bits": lambda number, valid: (number + _WRAP,),
    "greatest": lambda number, valid: (valid.held[-1],),
    "least": lambda number, valid: _least(valid),
}


def _negative(valid: ValidNumbers, place: int) -> Iterable[WholeNumbers]:
    """A negative entry, made good by another, so that the sum is the right one."""
    other = (place + 1) % len(valid.items)
    for number in (-1, -2):
        items = _with(valid.items, place, number)
        yield _with(items, other, valid.items[other] + valid.items[place] - number)


_NEGATIVE: Mapping[str, WrongNumbers] = {
    f"{place} negative": lambda valid, at=at: (  # type: ignore[misc]
        _negative(valid, at[1](len(valid.items))) if len(valid.items) >= max(2, at[0]) and -1 not in valid.items else ()
    )
    for place, at in _PLACES.items()
}


def _sum_wraps(valid: ValidNumbers) -> Iterable[WholeNumbers]:
    """Four entries that are too large by what is nothing in 64 bits."""
    if len(valid.items) >= 4 and -1 not in valid.items:
        yield (*(number + (1 << _FOLD) for number in valid.items[:4]), *valid.items[4:])


def _joined(valid: ValidNumbers) -> Iterable[WholeNumbers]:
    """One entry fewer, with the right sum."""
    if len(valid.items) > 1 and -1 not in valid.items:
        yield (valid.items[0] + valid.items[1], *valid.items[2:])


_COUNT: Mapping[str, _WrongNumber] = {
    **_ONE,
    "zero": lambda number, valid: (0,),
    "indivisible": lambda number, valid: range(max(valid.data, default=0) - 1, 1, -1),
    "not as declared": lambda number, valid: (number + 1, number - 1),
}
AS_BEFORE = "not as declared"
"""The class of a count that leaves the declared number of outputs as it is."""

NUMBERS: Mapping[ArgumentKind, Mapping[str, WrongNumbers]] = {
    ArgumentKind.AXIS: _alone(_DIM),
    ArgumentKind.AXES: {
        **_at_each_place(_DIM),
        **_LISTS_OF_AXES,
        "one twice": _one_twice,
        "one twice from the end": _one_twice_from_the_end,
    },
    ArgumentKind.PERMUTATION: {
        **_at_each_place(
            {
                **_DIM,
                "one before": lambda number, valid: (-valid.rank - 1,),
                "from the end": lambda number, valid: (number - valid.rank,),
            }
        ),
        "one twice": _one_twice,
        "one twice with the right sum": _one_twice_with_the_right_sum,
        **_LISTS,
        "one too few": lambda valid: [valid.items[:-1]] if len(valid.items) > 1 else [],
        "one too many": lambda valid: [(*valid.items, valid.rank)],
    },
    ArgumentKind.SHAPE: {
        **_at_each_place(_LENGTH_OF_SHAPE),
        **_FEWER,
        "none": _none,
        "two inferred": _two_inferred,
        "indivisible": _indivisible,
        "zero beyond the rank": lambda valid: [(*valid.items, 0)] if len(valid.items) >= valid.rank else [],
        "product wraps at 64 bits": _product_wraps,
    },
    ArgumentKind.LENGTHS: {
        **_at_each_place(_LENGTH),
        **_NEGATIVE,
        "two inferred": _two_inferred,
        "sum wraps at 64 bits": _sum_wraps,
        **_FEWER,
        "none": _none,
        "twice as many": _twice,
        "one too few": _joined,
        "one too many": lambda valid: [(*valid.items, 0)],
    },
    ArgumentKind.COUNT: _alone(_COUNT),
    ArgumentKind.TARGET: {
        **_at_each_place(_LENGTH_OF_TARGET),
        **_FEWER,
        "one too many": lambda valid: [(*valid.items, valid.items[-1] + 1)] if valid.items else [],
    },
    ArgumentKind.INDICES: _at_each_place(_ONE),
    ArgumentKind.PLACES: _at_each_place(_ONE),
    ArgumentKind.BOUNDS: _LISTS,
    ArgumentKind.STEPS: {**_at_each_place({"zero": lambda number, valid: (0,)}), **_LISTS},
    ArgumentKind.MASK: _at_each_place({"of two": lambda number, valid: (2,), "negative": lambda number, valid: (-1,)}),
    ArgumentKind.FLAG: _alone({"of two": lambda number, valid: (2,), "negative": lambda number, valid: (-1,)}),
    ArgumentKind.PADS: _LISTS,
}
"""For each kind with numbers, its wrong classes."""
