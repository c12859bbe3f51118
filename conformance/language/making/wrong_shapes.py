"""How the shape of an argument goes wrong: other dims with the same elements, more or fewer of them.

A class changes a value, and the reference says whether the page forbids the changed call. Nothing here knows an
operator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from conformance.language.case import Value, whole_numbers
from conformance.language.kinds import ArgumentKind
from conformance.values.dtypes import INTEGERS
from conformance.values.tensor import pack_integers

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
