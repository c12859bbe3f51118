"""How the numbers, the type and the shape of an argument go wrong, by its kind.

A class lists what may be written in the place of a valid value, and the reference says what of it the page forbids.
Nothing here knows an operator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.spec.case import Value, whole_numbers
from conformance.spec.operator import ArgumentKind
from conformance.tensors.dtypes import INTEGERS
from conformance.tensors.tensor import pack_integers

WholeNumbers = tuple[int, ...]
_FAR, _WRAP = 100, 1 << 32
_FOLD = 62
"""Four times 2^62 is 0 in 64 bits, so that a sum which overflows looks right."""


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


def _of_one_number(ones: Mapping[str, _WrongNumber]) -> dict[str, WrongNumbers]:
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
                yield _replaced_at(valid.items, place, number)

        return found

    return {f"{place} {name}": wrong(*at, one) for place, at in _PLACES.items() for name, one in ones.items()}


def _replaced_at(items: WholeNumbers, place: int, number: int) -> WholeNumbers:
    place %= len(items)
    return (*items[:place], number, *items[place + 1 :])


def _one_twice(valid: ValidNumbers) -> Iterable[WholeNumbers]:
    return [_replaced_at(valid.items, -1, valid.items[0])] if len(valid.items) > 1 else []


def _one_twice_from_the_end(valid: ValidNumbers) -> Iterable[WholeNumbers]:
    """The first entry again, counted from the other end."""
    if len(valid.items) > 1:
        first = valid.items[0]
        yield _replaced_at(valid.items, -1, first + (valid.dims if first < 0 else -valid.dims))


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


def _emptied(valid: ValidNumbers) -> Iterable[WholeNumbers]:
    return [()] if len(valid.items) > 1 else []


def _doubled(valid: ValidNumbers) -> Iterable[WholeNumbers]:
    return [valid.items * 2] if valid.items else []


_FEWER: Mapping[str, WrongNumbers] = {
    "one too few": lambda valid: [valid.items[:-1]] if valid.items else [],
    "two too few": lambda valid: [valid.items[:-2]] if len(valid.items) > 2 else [],
    "half as many": lambda valid: [valid.items[: len(valid.items) // 2]] if len(valid.items) > 1 else [],
}
_LISTS: Mapping[str, WrongNumbers] = {
    **_FEWER,
    "none": _emptied,
    "one too many": lambda valid: [(*valid.items, valid.items[-1])] if valid.items else [],
    "two too many": lambda valid: [(*valid.items, *valid.items[-1:] * 2)] if valid.items else [],
    "twice as many": _doubled,
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
        items = _replaced_at(valid.items, place, number)
        yield _replaced_at(items, other, valid.items[other] + valid.items[place] - number)


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
    ArgumentKind.AXIS: _of_one_number(_DIM),
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
        "none": _emptied,
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
        "none": _emptied,
        "twice as many": _doubled,
        "one too few": _joined,
        "one too many": lambda valid: [(*valid.items, 0)],
    },
    ArgumentKind.COUNT: _of_one_number(_COUNT),
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
    ArgumentKind.FLAG: _of_one_number({"of two": lambda number, valid: (2,), "negative": lambda number, valid: (-1,)}),
    ArgumentKind.PADS: _LISTS,
}
"""For each kind with numbers, its wrong classes."""


WrongShape = Callable[[Value, int], Iterator[Value]]
"""Other values for an argument and the rank of the main data, in the order of `WrongNumbers`."""
_OTHER_WIDTH = {
    "float16": "float32", "float32": "float64", "float64": "float32", "bfloat16": "float32", "int8": "int16",
    "int16": "int32", "int32": "int64", "int64": "int32", "uint8": "uint16", "uint16": "uint32", "uint32": "uint64",
    "uint64": "uint32", "complex64": "complex128", "complex128": "complex64",
}  # fmt: skip


def _shaped(value: Value, *shapes: tuple[int, ...]) -> Iterator[Value]:
    """The same elements with other dims."""
    for shape in shapes:
        if shape != value.shape and math.prod(shape) == math.prod(value.shape):
            yield replace(value, shape=shape)


def _of_numbers(value: Value, numbers: Sequence[int], shape: tuple[int, ...]) -> Value:
    return Value.of(pack_integers(list(numbers), value.dtype, shape))


def _numbers(value: Value) -> Sequence[int]:
    """The whole numbers of a value; none if it has others."""
    return (whole_numbers(value) or ()) if value.dtype in INTEGERS else ()


def _scalar(value: Value, _: int) -> Iterator[Value]:
    """The first number alone, without dims."""
    numbers = _numbers(value)
    if numbers and value.shape:
        yield _of_numbers(value, numbers[:1], ())


def _rank_more(value: Value, _: int) -> Iterator[Value]:
    """With two dims; or one, if a number may not be a list."""
    count = math.prod(value.shape)
    yield from _shaped(value, *(shape for shape in ((1, count), (count,)) if len(shape) > len(value.shape)))


def _column(value: Value, _: int) -> Iterator[Value]:
    if math.prod(value.shape) > 1:
        yield from _shaped(value, (math.prod(value.shape), 1))


def _repeated(times: int) -> WrongShape:
    """A list of so many times the numbers."""

    def values(value: Value, _: int) -> Iterator[Value]:
        numbers = [*_numbers(value)] * times
        if _numbers(value):
            yield _of_numbers(value, numbers, (len(numbers),))

    return values


def _flat(value: Value, _: int) -> Iterator[Value]:
    yield from _shaped(value, (math.prod(value.shape),))


def _turned(value: Value, _: int) -> Iterator[Value]:
    yield from _shaped(value, value.shape[::-1])


def _dim_before(value: Value, _: int) -> Iterator[Value]:
    yield from _shaped(value, (1, *value.shape))


def _dim_behind(value: Value, _: int) -> Iterator[Value]:
    yield from _shaped(value, (*value.shape, 1))


def _of_depth(depth_in: Callable[[int, int], int]) -> WrongShape:
    """Each row of indices with another number of them, from its depth and the rank of the data; further ones are 0."""

    def values(value: Value, rank: int) -> Iterator[Value]:
        numbers, depth = _numbers(value), value.shape[-1] if value.shape else 0
        if numbers:
            wanted = depth_in(depth, rank)
            rows = [[*numbers[start : start + depth], *[0] * wanted] for start in range(0, len(numbers), depth or 1)]
            yield _of_numbers(value, [n for row in rows for n in row[:wanted]], (*value.shape[:-1], wanted))

    return values


def _of_rows(more: int) -> WrongShape:
    """A list of so many more rows of indices."""

    def values(value: Value, _: int) -> Iterator[Value]:
        numbers = _numbers(value)
        if numbers and len(value.shape) == 2:
            rows, depth = value.shape
            yield _of_numbers(value, [*numbers, *numbers][: (rows + more) * depth], (rows + more, depth))

    return values


_OF_ONE: Mapping[str, WrongShape] = {
    "a rank more": _rank_more,
    "two numbers": _repeated(2),
    "no number": lambda value, _: iter([_of_numbers(value, (), (0,))] if _numbers(value) else []),
}
_OF_LISTS: Mapping[str, WrongShape] = {"a scalar": _scalar, "a rank more": _rank_more, "a column": _column}
_OF_KINDS: Mapping[ArgumentKind, Mapping[str, WrongShape]] = {
    ArgumentKind.INDICES: {},
    ArgumentKind.PLACES: {
        "a scalar": _scalar,
        "too deep": _of_depth(lambda _, rank: rank + 1),
        "an index less": _of_depth(lambda depth, _: max(depth - 1, 0)),
        "a row more": _of_rows(1),
        "a row less": _of_rows(-1),
        "flat": _flat,
        "turned": _turned,
        "with a dim before": _dim_before,
        "with a dim behind": _dim_behind,
    },
}


def wrong_shapes(kind: ArgumentKind) -> Mapping[str, WrongShape]:
    """The classes of the shape of an input that is not data."""
    return _OF_ONE if kind.is_one_number else _OF_KINDS.get(kind, _OF_LISTS)


def _of_other_type(value: Value, _: int) -> Iterator[Value]:
    yield replace(value, dtype="int32" if value.dtype == "float32" else "float32")


def _of_other_width(value: Value, _: int) -> Iterator[Value]:
    if value.dtype in _OTHER_WIDTH:
        yield replace(value, dtype=_OTHER_WIDTH[value.dtype])


def _with_other_dim(change: Callable[[int], int]) -> WrongShape:
    def values(value: Value, _: int) -> Iterator[Value]:
        for dim, length in enumerate(value.shape):
            if change(length) != length:
                yield replace(value, shape=(*value.shape[:dim], change(length), *value.shape[dim + 1 :]))

    return values


DISAGREEING: Mapping[str, WrongShape] = {
    "of another type": _of_other_type,
    "of another width": _of_other_width,
    "with a dim more": _dim_behind,
    "with a dim before": _dim_before,
    "with a dim less": lambda value, _: iter([replace(value, shape=value.shape[1:])] if value.shape else []),
    "without dims": lambda value, _: iter([replace(value, shape=())] if value.shape else []),
    "an empty list": lambda value, _: iter([replace(value, shape=(0,))]),
    "flat": _flat,
    "turned": _turned,
    "one longer": _with_other_dim(lambda length: length + 1),
    "one shorter": _with_other_dim(lambda length: max(length - 1, 0)),
    "twice as long": _with_other_dim(lambda length: 2 * length),
    "of length 1": _with_other_dim(lambda _: 1),
}
"""The classes of data that disagrees with other data."""
