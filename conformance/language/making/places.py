"""Rows of indices, each of which names a place of the data or a slice of it; no two rows name the same one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from conformance.language.making.setting import MadeNumbers, NumbersMaker, Setting, unsorted


def _depth(setting: Setting) -> int:
    return setting.dice.number(1, setting.rank) if setting.rank else 0


def _rows(
    setting: Setting,
    depth: int,
    count: int,
    order: Callable[[list[int]], list[int]] = list,
    before: tuple[int, ...] = (),
) -> MadeNumbers | None:
    """Rows of so many indices; no two rows name the same place. `before` are dims in place of that of the rows."""
    shape = setting.shape[:depth]
    found = order(setting.dice.some_of(range(math.prod(shape)), count))
    if not depth or not found or (before and len(found) != math.prod(before)):
        return None
    strides = [math.prod(shape[dim + 1 :]) for dim in range(depth)]
    items = tuple(place // stride % length for place in found for stride, length in zip(strides, shape, strict=True))
    return MadeNumbers(items, (*(before or (len(found),)), depth))


def _drawn_rows(setting: Setting, order: Callable[[list[int]], list[int]] = list, least: int = 1) -> MadeNumbers | None:
    return _rows(setting, _depth(setting), setting.dice.number(least, least + 3), order)


def _shaped_rows(*before: int) -> NumbersMaker:
    return lambda s: _rows(s, _depth(s), math.prod(before), before=before)


def _row(setting: Setting) -> MadeNumbers | None:
    found = _rows(setting, _depth(setting), 1)
    return None if found is None else MadeNumbers(found.items, found.shape[1:])


def _rows_from_end(places: Callable[[Setting, int], Sequence[int]]) -> NumbersMaker:
    """Rows of which the indices at these places count from the end."""

    def made(setting: Setting) -> MadeNumbers | None:
        found = _drawn_rows(setting)
        if found is None:
            return None
        depth, chosen = found.shape[-1], places(setting, len(found.items))
        if not chosen:
            return None
        items = enumerate(found.items)
        ended = (item - setting.shape[at % depth] if at in chosen else item for at, item in items)
        return MadeNumbers(tuple(ended), found.shape)

    return made


def _rows_beyond(bits: int) -> NumbersMaker:
    """Two rows of which one has an index that is at least so large."""

    def made(setting: Setting) -> MadeNumbers | None:
        dim = next((dim for dim, length in enumerate(setting.shape) if length > 1 << bits), None)
        if dim is None or 0 in setting.shape:
            return None
        depth = setting.dice.number(dim + 1, setting.rank)
        row = [setting.dice.number(0, length - 1) for length in setting.shape[:depth]]
        row[dim] = setting.dice.number(1 << bits, setting.shape[dim] - 1)
        return MadeNumbers((*row, *[0] * depth), (2, depth))

    return made


PLACES: Mapping[str, NumbersMaker] = {
    "elements": lambda s: _rows(s, s.rank, s.dice.number(1, 4)),
    "slices": lambda s: _rows(s, s.dice.number(1, s.rank - 1), s.dice.number(1, 4)) if s.rank > 1 else None,
    "a list": _row,
    "rank 3": _shaped_rows(2, 2),
    "rank above 4": _shaped_rows(1, 2, 1, 1),
    "none": lambda s: MadeNumbers((), (*s.dice.one_of(((0,), (2, 0))), _depth(s))) if s.rank else None,
    "no depth": lambda s: MadeNumbers((), s.dice.one_of(((0,), (1, 0)))),
    "one": _shaped_rows(1),
    "sorted": lambda s: _drawn_rows(s, sorted, 2),
    "reversed": lambda s: _drawn_rows(s, lambda found: sorted(found, reverse=True), 2),
    "unsorted": lambda s: _drawn_rows(s, unsorted, 3),
    "all": lambda s: _rows(s, 1, s.shape[0]) if s.rank else None,
    "from the end": _rows_from_end(lambda s, count: range(count)),
    "from both ends": _rows_from_end(lambda s, count: s.dice.some_of(range(count), count // 2)),
    "beyond 8 bits": _rows_beyond(8),
    "beyond 16 bits": _rows_beyond(16),
}
"""The classes of rows of indices."""
