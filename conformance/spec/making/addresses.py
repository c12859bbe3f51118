"""Classes of arguments that name places: dims, elements, slices and ranges of them, and masks over such lists.

A value need not fit the operator: a call that does not is drawn again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from conformance.spec.making.setting import (
    TYPES,
    Class,
    GivenNumbers,
    MadeNumbers,
    NumbersMaker,
    Setting,
    ValueMaker,
    beyond,
    has_one,
    is_empty,
    one,
    several,
    unsorted,
)

_FAR = (1 << 31, (1 << 31) + 1, (1 << 40) + 3, (1 << 63) - 1)


def _is_run(numbers: Sequence[int]) -> bool:
    return list(numbers) == list(range(numbers[0], numbers[0] + len(numbers)))


def _begins_as_run(given: GivenNumbers) -> bool:
    return len(given.numbers) > 2 and _is_run(given.numbers[:2]) and not _is_run(given.numbers)


def _has_length_of_run(given: GivenNumbers) -> bool:
    numbers = given.numbers
    return len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1 and not _is_run(numbers)


def _is_sorted(given: GivenNumbers) -> bool:
    return len(given.numbers) > 1 and list(given.numbers) == sorted(set(given.numbers))


def _is_reversed(given: GivenNumbers) -> bool:
    return _is_sorted(replace(given, numbers=given.numbers[::-1]))


def _is_unsorted(given: GivenNumbers) -> bool:
    return len(given.numbers) > 2 and not _is_sorted(given) and not _is_reversed(given)


def _is_repeated(given: GivenNumbers) -> bool:
    return len(set(given.numbers)) < len(given.numbers)


def _is_from_both_ends(given: GivenNumbers) -> bool:
    return 0 < len(given.from_end) < len(given.numbers)


def _goes_both_ways(given: GivenNumbers) -> bool:
    return min(given.numbers, default=0) < 0 < max(given.numbers, default=0)


_FROM_THE_FRONT = Class("from the front", lambda g: any(number >= 0 for number in g.numbers))


def _list_of_one(setting: Setting) -> MadeNumbers | None:
    return several([setting.dice.number(-setting.rank, setting.rank - 1)]) if setting.rank else None


AXIS = (
    Class("first", lambda g: g.dim == 0, lambda s: one(0)),
    Class(
        "inner",
        lambda g: 0 < g.dim < len(g.shape) - 1,
        lambda s: one(s.dice.number(1, s.rank - 2)) if s.rank > 2 else None,
    ),
    Class("last", lambda g: g.dim == len(g.shape) - 1, lambda s: one(s.rank - 1) if s.rank else None),
    Class("from the end", lambda g: g.numbers[0] < 0, lambda s: one(-s.dice.number(1, s.rank)) if s.rank else None),
    Class("a list of one", lambda g: g.rank == 1, _list_of_one),
    *TYPES,
)


def _dims(setting: Setting, count: int) -> list[int]:
    """Different dims of the data, or of an output with more dims; rather those of length 1, if there are enough."""
    ones = [dim for dim, length in enumerate(setting.shape) if length == 1]
    pools = (ones, range(setting.rank), range(setting.rank + count))
    return setting.dice.some_of(setting.dice.one_of(pools), count)


def axes_made(setting: Setting, dims: Sequence[int]) -> MadeNumbers:
    """A list of dims, with which the other lists of the call go."""
    setting.count, setting.axes = len(dims), dims
    return several(dims)


def _dims_in(setting: Setting, least: int, order: Callable[[list[int]], list[int]]) -> MadeNumbers | None:
    found = order(_dims(setting, setting.dice.number(least, least + 2)))
    return axes_made(setting, found) if len(found) >= least else None


def _dims_from_end(setting: Setting) -> MadeNumbers | None:
    found = _dims(setting, setting.dice.number(1, 3))
    rank = setting.rank + setting.dice.one_of((0, len(found)))
    kept = [dim - rank for dim in found if dim < rank]
    return axes_made(setting, kept) if kept else None


def _dims_from_both_ends(setting: Setting) -> MadeNumbers | None:
    found = _dims(setting, setting.dice.number(2, 3))
    rank = setting.rank + setting.dice.one_of((0, len(found)))
    if len(found) < 2 or max(found) >= rank:
        return None
    return axes_made(setting, [found[0] - rank, *found[1:]])


AXES = (
    Class("none", is_empty, lambda s: axes_made(s, [])),
    Class("one", has_one, lambda s: _dims_in(s, 1, lambda dims: dims[:1])),
    Class("sorted", _is_sorted, lambda s: _dims_in(s, 2, sorted)),
    Class("reversed", _is_reversed, lambda s: _dims_in(s, 2, lambda dims: sorted(dims, reverse=True))),
    Class("unsorted", _is_unsorted, lambda s: _dims_in(s, 3, unsorted)),
    Class("from the end", lambda g: bool(g.from_end), _dims_from_end),
    Class("from both ends", _is_from_both_ends, _dims_from_both_ends),
    Class("repeated", _is_repeated),
    _FROM_THE_FRONT,
    *TYPES,
)


def _is_not_its_own_inverse(given: GivenNumbers) -> bool:
    order = dict(enumerate(given.numbers))
    return any(order.get(at) != index for index, at in order.items())


def _rotated(setting: Setting) -> MadeNumbers | None:
    by = setting.dice.number(1, setting.rank - 1) if setting.rank > 2 else 0
    order = [*range(by, setting.rank), *range(by)]
    return several(order) if [order[place] for place in order] != list(range(setting.rank)) else None


PERMUTATION = (
    Class("none", is_empty, lambda s: several([])),
    Class("in order", lambda g: list(g.numbers) == list(range(len(g.numbers))), lambda s: several(range(s.rank))),
    Class(
        "reversed",
        lambda g: len(g.numbers) > 1 and list(g.numbers)[::-1] == sorted(g.numbers),
        lambda s: several(range(s.rank)[::-1]) if s.rank > 1 else None,
    ),
    Class("not its own inverse", _is_not_its_own_inverse, _rotated),
    Class("any", None, lambda s: several(s.dice.shuffled(range(s.rank)))),
    Class("more than 8", lambda g: len(g.numbers) > 8),
    *TYPES,
)


def _indices(setting: Setting, count: int) -> list[int]:
    return [setting.dice.number(0, setting.length - 1) for _ in range(count)] if setting.length else []


def _ordered(setting: Setting, order: Callable[[list[int]], list[int]], least: int = 2) -> MadeNumbers | None:
    found = order(setting.dice.some_of(range(setting.length), setting.dice.number(least, least + 2)))
    return several(found) if len(found) >= least else None


def _near_run(*steps: int) -> NumbersMaker:
    """Indices at these steps from a first one; a kernel that takes them for a run copies other slices."""

    def made(setting: Setting) -> MadeNumbers | None:
        if setting.length <= max(steps):
            return None
        first = setting.dice.number(0, setting.length - 1 - max(steps))
        return several([first + step for step in steps])

    return made


def _either(usual: NumbersMaker, other: NumbersMaker) -> NumbersMaker:
    """Of every second call the other value, if there is one."""
    return lambda setting: (other(setting) if setting.dice.number(0, 1) else None) or usual(setting)


def _repeated(setting: Setting) -> MadeNumbers | None:
    found = _indices(setting, setting.dice.number(1, 3))
    return several(setting.dice.shuffled([*found, *found])) if found else None


def _shaped(*shape: int) -> NumbersMaker:
    def made(setting: Setting) -> MadeNumbers | None:
        found = _indices(setting, math.prod(shape))
        return MadeNumbers(tuple(found), shape) if found else None

    return made


def _matrix(setting: Setting) -> MadeNumbers | None:
    return _shaped(setting.dice.number(1, 3), setting.dice.number(1, 3))(setting)


def _with_batches(setting: Setting) -> MadeNumbers | None:
    """As many first dims as the data has, and perhaps one more."""
    kept = setting.dice.number(1, setting.rank) if setting.rank else 0
    return _shaped(*setting.shape[:kept], *([2] if setting.dice.number(0, 1) else []))(setting)


def _index_beyond(bits: int) -> ValueMaker:
    """Indices of which one is at least so large."""

    def made(setting: Setting) -> MadeNumbers | None:
        if setting.length <= 1 << bits:
            return None
        return several([setting.dice.number(1 << bits, setting.length - 1), 0])

    return made


def _index(setting: Setting) -> MadeNumbers | None:
    found = _indices(setting, 1)
    return one(found[0]) if found else None


INDICES = (
    Class("scalar", lambda g: g.rank == 0, _index),
    Class("rank 2", None, _matrix),
    Class("with batches", None, _with_batches),
    Class("rank above 4", lambda g: g.rank > 4, _shaped(1, 2, 1, 1, 2)),
    Class("none", is_empty, lambda s: MadeNumbers((), s.dice.one_of(((0,), (2, 0), (0, 3))))),
    Class("one", has_one, _shaped(1)),
    Class("sorted", _is_sorted, _either(lambda s: _ordered(s, sorted), _near_run(0, 1, 2, 4))),
    Class("reversed", _is_reversed, lambda s: _ordered(s, lambda found: sorted(found, reverse=True))),
    Class("unsorted", _is_unsorted, _either(lambda s: _ordered(s, unsorted, 3), _near_run(0, 2, 1, 3))),
    Class("repeated", _is_repeated, _either(_repeated, _near_run(0, 1, 1, 3))),
    Class(
        "from the end",
        lambda g: bool(g.from_end),
        lambda s: several([-1 - at for at in _indices(s, s.dice.number(1, 3))]) if s.length else None,
    ),
    Class(
        "from both ends",
        _is_from_both_ends,
        lambda s: several([*_indices(s, 1), *(-1 - at for at in _indices(s, 2))]) if s.length else None,
    ),
    beyond(8, _index_beyond(8)),
    beyond(16, _index_beyond(16)),
    beyond(24),
    beyond(31),
    Class("rank above 1", lambda g: g.rank > 1),
    Class("an empty grid", lambda g: g.rank > 1 and not g.numbers),
    Class("begin as a run", _begins_as_run),
    Class("as long as a run", _has_length_of_run),
    _FROM_THE_FRONT,
    *TYPES,
)


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


PLACES = (
    Class("elements", None, lambda s: _rows(s, s.rank, s.dice.number(1, 4))),
    Class(
        "slices", None, lambda s: _rows(s, s.dice.number(1, s.rank - 1), s.dice.number(1, 4)) if s.rank > 1 else None
    ),
    Class("a list", lambda g: g.rank == 1, _row),
    Class("rank 3", lambda g: g.rank == 3, _shaped_rows(2, 2)),
    Class("rank above 4", lambda g: g.rank > 4, _shaped_rows(1, 2, 1, 1)),
    Class(
        "none",
        is_empty,
        lambda s: MadeNumbers((), (*s.dice.one_of(((0,), (2, 0))), _depth(s))) if s.rank else None,
    ),
    Class("no depth", lambda g: g.dims[-1:] == (0,), lambda s: MadeNumbers((), s.dice.one_of(((0,), (1, 0))))),
    Class("one", None, _shaped_rows(1)),
    Class("sorted", None, lambda s: _drawn_rows(s, sorted, 2)),
    Class("reversed", None, lambda s: _drawn_rows(s, lambda found: sorted(found, reverse=True), 2)),
    Class("unsorted", None, lambda s: _drawn_rows(s, unsorted, 3)),
    Class("all", None, lambda s: _rows(s, 1, s.shape[0]) if s.rank else None),
    Class("from the end", lambda g: bool(g.from_end), _rows_from_end(lambda s, count: range(count))),
    Class(
        "from both ends",
        _is_from_both_ends,
        _rows_from_end(lambda s, count: s.dice.some_of(range(count), count // 2)),
    ),
    beyond(8, _rows_beyond(8)),
    beyond(16, _rows_beyond(16)),
    beyond(24),
    beyond(31),
    _FROM_THE_FRONT,
    *TYPES,
)


def _lengths(setting: Setting) -> list[int]:
    """A length of the data for each entry of the lists of the call."""
    return [setting.shape[dim % setting.rank] if setting.rank else 1 for dim in range(setting.count)]


def _bounds(draw: Callable[[Setting, int, int], int], least: int = 1) -> ValueMaker:
    """One bound for each entry of the lists of the call. The first list of bounds has the starts of ranges."""

    def made(setting: Setting) -> MadeNumbers | None:
        if setting.count < least:
            return None
        lengths, setting.is_full = _lengths(setting), bool(setting.dice.number(0, 3))
        found = [draw(setting, at, length) for at, length in enumerate(lengths)]
        if setting.starts is None:
            places = [bound + length if bound < 0 else bound for bound, length in zip(found, lengths, strict=True)]
            setting.starts = [max(0, min(place, length)) for place, length in zip(places, lengths, strict=True)]
        return several(found)

    return made


def _place(setting: Setting, at: int, length: int) -> int:
    """The place of a bound, if the ranges are to have elements so that this one has, or any one."""
    first, last, is_back = 0, length, setting.is_backwards(at)
    if setting.is_full and setting.starts is None:
        first, last = (1, length - 1) if is_back else (0, (length - 1) // 2)
    elif setting.is_full and setting.starts is not None:
        first, last = (0, setting.starts[at] - 1) if is_back else (setting.starts[at] + 1, length)
    return setting.dice.number(first, last) if first <= last else setting.dice.number(0, length)


def _from_end(setting: Setting, at: int, length: int) -> int:
    return min(-1, _place(setting, at, length) - length)


def _bounds_beyond(numbers: Sequence[int]) -> ValueMaker:
    """Some of these numbers, on the side on which ranges have elements or on any one."""

    def draw(setting: Setting, at: int, _: int) -> int:
        is_behind = setting.is_backwards(at) == (setting.starts is None)
        sign = (1 if is_behind else -1) if setting.is_full else setting.dice.one_of((1, -1))
        return sign * setting.dice.one_of(numbers)

    return _bounds(draw)


BOUNDS = (
    Class("none", is_empty, lambda s: axes_made(s, [])),
    Class("from the front", _FROM_THE_FRONT.holds, _bounds(_place)),
    Class("from the end", lambda g: bool(g.from_end), _bounds(_from_end)),
    Class(
        "from both ends",
        _is_from_both_ends,
        _bounds(lambda s, at, length: (_place if at else _from_end)(s, at, length), least=2),
    ),
    beyond(8, _bounds_beyond((256, 257, 300))),
    beyond(16, _bounds_beyond((1 << 16, (1 << 16) + 1, 70000))),
    beyond(31, _bounds_beyond(_FAR)),
    beyond(24),
    *TYPES,
)


def _steps(draw: Callable[[Setting], int], *others: int) -> ValueMaker:
    """A step for each entry of the lists of the call; of every second call, some are others."""

    def made(setting: Setting) -> MadeNumbers | None:
        found = [draw(setting) for _ in range(setting.count)]
        if others and setting.dice.number(0, 1):
            for place in setting.dice.some_of(range(setting.count), setting.count // 2):
                found[place] = setting.dice.one_of(others)
        setting.steps = found
        return several(found) if found else None

    return made


def _steps_beyond(numbers: Sequence[int]) -> ValueMaker:
    return _steps(lambda s: s.dice.one_of((1, -1)) * s.dice.one_of(numbers))


STEPS = (
    Class("one", lambda g: 1 in g.numbers, _steps(lambda s: 1)),
    Class(
        "more than one", lambda g: any(number > 1 for number in g.numbers), _steps(lambda s: s.dice.number(2, 4), 1, -1)
    ),
    Class("back by one", lambda g: -1 in g.numbers, _steps(lambda s: -1, 1, 2, -2)),
    Class(
        "back by more",
        lambda g: any(number < -1 for number in g.numbers),
        _steps(lambda s: -s.dice.number(2, 3), 1, 2, -1),
    ),
    beyond(16, _steps_beyond(((1 << 16) + 1, (1 << 16) + 3))),
    beyond(31, _steps_beyond(_FAR)),
    Class("in both directions", _goes_both_ways),
    beyond(8),
    beyond(24),
    *TYPES,
)


def _some_set(setting: Setting) -> MadeNumbers | None:
    if setting.count < 2:
        return None
    places = setting.dice.some_of(range(setting.count), setting.dice.number(1, setting.count - 1))
    if setting.dice.number(0, 1):  # where it shows whether dims that an entry adds or skips are counted
        places = [setting.count - 1]
    return several([int(place in places) for place in range(setting.count)])


MASK = (
    Class(
        "unset", lambda g: bool(g.numbers) and not any(g.numbers), lambda s: several([0] * s.count) if s.count else None
    ),
    Class("some", lambda g: 0 < sum(g.numbers) < len(g.numbers), _some_set),
    Class("all", lambda g: bool(g.numbers) and all(g.numbers), lambda s: several([1] * s.count) if s.count else None),
    Class("none", is_empty),
    Class("the last alone", lambda g: len(g.numbers) > 1 and g.numbers[-1] == 1 == sum(g.numbers)),
)
FLAG = (
    Class("off", lambda g: not g.numbers[0], lambda s: one(0)),
    Class("on", lambda g: bool(g.numbers[0]), lambda s: one(1)),
)
