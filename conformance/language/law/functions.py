"""The functions of the law language, by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

from conformance.language.law.values import NOWHERE, DataInput, LawError, LawValue, Numbers, chosen, row_major, within

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
