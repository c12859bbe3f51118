"""What each kind of argument can be asked for: for each of its classes, how to make a value of it.

A value is made for the data and the arguments that are there already. It need not fit the operator: a call that does
not is drawn again. A function returns None if no value of its class exists.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from conformance.language.classes import BESIDE_TILES
from conformance.language.kinds import ArgumentKind
from conformance.language.making.dice import Dice
from conformance.language.making.pads import PADS
from conformance.language.making.places import PLACES
from conformance.language.making.setting import MadeNumbers, NumbersMaker, Setting, ValueMaker, one, several, unsorted
from conformance.language.making.targets import FAR_WITHOUT_ELEMENTS, TARGETS
from conformance.language.operator import Parameter

LEFT_OUT = "left out"
_FAR = (1 << 31, (1 << 31) + 1, (1 << 40) + 3, (1 << 63) - 1)


def _list_of_one(setting: Setting) -> MadeNumbers | None:
    return several([setting.dice.number(-setting.rank, setting.rank - 1)]) if setting.rank else None


_AXIS: Mapping[str, ValueMaker] = {
    "first": lambda s: one(0),
    "inner": lambda s: one(s.dice.number(1, s.rank - 2)) if s.rank > 2 else None,
    "last": lambda s: one(s.rank - 1) if s.rank else None,
    "from the end": lambda s: one(-s.dice.number(1, s.rank)) if s.rank else None,
    "a list of one": _list_of_one,
}


def _dims(setting: Setting, count: int) -> list[int]:
    """Different dims of the data, or of an output with more dims; rather those of length 1, if there are enough."""
    ones = [dim for dim, length in enumerate(setting.shape) if length == 1]
    pools = (ones, range(setting.rank), range(setting.rank + count))
    return setting.dice.some_of(setting.dice.one_of(pools), count)


def _axes(setting: Setting, dims: Sequence[int]) -> MadeNumbers:
    """A list of dims, with which the other lists of the call go."""
    setting.count, setting.axes = len(dims), dims
    return several(dims)


def _dims_in(setting: Setting, least: int, order: Callable[[list[int]], list[int]]) -> MadeNumbers | None:
    found = order(_dims(setting, setting.dice.number(least, least + 2)))
    return _axes(setting, found) if len(found) >= least else None


def _dims_from_end(setting: Setting) -> MadeNumbers | None:
    found = _dims(setting, setting.dice.number(1, 3))
    rank = setting.rank + setting.dice.one_of((0, len(found)))
    kept = [dim - rank for dim in found if dim < rank]
    return _axes(setting, kept) if kept else None


def _dims_from_both_ends(setting: Setting) -> MadeNumbers | None:
    found = _dims(setting, setting.dice.number(2, 3))
    rank = setting.rank + setting.dice.one_of((0, len(found)))
    if len(found) < 2 or max(found) >= rank:
        return None
    return _axes(setting, [found[0] - rank, *found[1:]])


_AXES: Mapping[str, ValueMaker] = {
    "none": lambda s: _axes(s, []),
    "one": lambda s: _dims_in(s, 1, lambda dims: dims[:1]),
    "sorted": lambda s: _dims_in(s, 2, sorted),
    "reversed": lambda s: _dims_in(s, 2, lambda dims: sorted(dims, reverse=True)),
    "unsorted": lambda s: _dims_in(s, 3, unsorted),
    "from the end": _dims_from_end,
    "from both ends": _dims_from_both_ends,
}


def _rotated(setting: Setting) -> MadeNumbers | None:
    by = setting.dice.number(1, setting.rank - 1) if setting.rank > 2 else 0
    order = [*range(by, setting.rank), *range(by)]
    return several(order) if [order[place] for place in order] != list(range(setting.rank)) else None


_PERMUTATION: Mapping[str, ValueMaker] = {
    "none": lambda s: several([]),
    "in order": lambda s: several(range(s.rank)),
    "reversed": lambda s: several(range(s.rank)[::-1]) if s.rank > 1 else None,
    "not its own inverse": _rotated,
    "any": lambda s: several(s.dice.shuffled(range(s.rank))),
}


def _factors(setting: Setting, most: int) -> list[int]:
    """Lengths whose product is the number of elements."""
    left, found = math.prod(setting.shape), list[int]()
    while len(found) < most - 1 and left > 1:
        divisors = [number for number in range(1, min(left, 64) + 1) if left % number == 0]
        found.append(setting.dice.one_of(divisors))
        left //= found[-1]
    return setting.dice.shuffled([*found, left])


def _with_inferred(setting: Setting, lengths: list[int]) -> list[int]:
    place = setting.dice.number(0, len(lengths) - 1)
    return [*lengths[:place], -1, *lengths[place + 1 :]]


def _copied(setting: Setting, *, inferred: bool) -> MadeNumbers | None:
    """Some first dims copied by 0, the rest in one."""
    kept = setting.dice.number(1, setting.rank) if setting.rank else 0
    rest = math.prod(setting.shape[kept:])
    if not kept:
        return None
    lengths = [0 if setting.dice.number(0, 1) else length for length in setting.shape[:kept]]
    lengths[setting.dice.number(0, kept - 1)] = 0
    return several([*lengths, -1 if inferred else rest])


def _long_without_elements(setting: Setting) -> MadeNumbers | None:
    """One long dim, and a 0 that is also a dim of the data at its place."""
    if 0 not in setting.shape:
        return None
    place, long = setting.shape.index(0), setting.dice.one_of(FAR_WITHOUT_ELEMENTS)
    return several([*[1] * (place - 1), long, 0] if place else [0, long])


_SHAPE: Mapping[str, ValueMaker] = {
    "none": lambda s: several([]),
    "one": lambda s: several([math.prod(s.shape)]),
    "several": lambda s: several(_factors(s, s.dice.number(2, 5))),
    "zero": lambda s: _copied(s, inferred=False),
    "inferred": lambda s: several(_with_inferred(s, _factors(s, s.dice.number(1, 4)))),
    "zero and inferred": lambda s: _copied(s, inferred=True),
    "more than 8": lambda s: several(s.dice.shuffled([*_factors(s, 4), *[1] * 8])),
    "beyond 24 bits": _long_without_elements,
}


def _parts(setting: Setting, count: int) -> list[int]:
    """So many lengths that make up the axis."""
    cuts = sorted(setting.dice.number(0, setting.length) for _ in range(count - 1))
    return [end - start for start, end in zip([0, *cuts], [*cuts, setting.length], strict=True)]


def _unequal(setting: Setting) -> MadeNumbers | None:
    found = _parts(setting, setting.dice.number(2, 5))
    return several(found) if len(set(found)) > 1 else None


_MOST_EQUAL = 300
"""Parts of a call with equal lengths."""


def _equal(setting: Setting) -> MadeNumbers | None:
    most = min(setting.length, _MOST_EQUAL) or 5  # any number of empty parts makes up an empty axis
    counts = [count for count in range(2, most + 1) if setting.length % count == 0]
    if not counts:
        return None
    count = setting.dice.one_of(counts)
    return several([setting.length // count] * count)


def _with_zero(place: Callable[[int], int]) -> ValueMaker:
    def made(setting: Setting) -> MadeNumbers:
        lengths = _parts(setting, setting.dice.number(2, 4))
        at = place(len(lengths))
        return several([*lengths[:at], 0, *lengths[at:]])

    return made


def _with_rest(setting: Setting) -> MadeNumbers:
    lengths = _parts(setting, setting.dice.number(2, 4))
    return several(_with_inferred(setting, lengths))


def _long_part(setting: Setting) -> MadeNumbers | None:
    """Two lengths of which one needs more than 16 bits."""
    rest = setting.length - (1 << 16)
    first = setting.dice.number(0, min(rest, 3))
    return several(setting.dice.shuffled([first, setting.length - first])) if rest >= 0 else None


_LENGTHS: Mapping[str, ValueMaker] = {
    "one": lambda s: several([s.length]),
    "equal": _equal,
    "unequal": _unequal,
    "zero first": _with_zero(lambda count: 0),
    "zero inside": _with_zero(lambda count: 1),
    "zero last": _with_zero(lambda count: count),
    "the rest": _with_rest,
    "more than 16": lambda s: several(_parts(s, s.dice.number(17, 20))),
    "beyond 16 bits": _long_part,
}


def _count(least: int, most: int) -> ValueMaker:
    """A number in these bounds; mostly one that divides the axis."""

    def made(setting: Setting) -> MadeNumbers:
        divisors = [number for number in range(least, min(most, setting.length) + 1) if setting.length % number == 0]
        return one(setting.dice.one_of(divisors or range(least, least + 3)))

    return made


_COUNT: Mapping[str, ValueMaker] = {
    "zero": lambda s: one(0),
    "one": lambda s: one(1),
    "2 to 16": _count(2, 16),
    "more than 16": _count(17, 1 << 12),
    "from the end": lambda s: one(-s.dice.number(1, 4)),
}


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


def _beyond(bits: int) -> ValueMaker:
    """Indices of which one is at least so large."""

    def made(setting: Setting) -> MadeNumbers | None:
        if setting.length <= 1 << bits:
            return None
        return several([setting.dice.number(1 << bits, setting.length - 1), 0])

    return made


def _index(setting: Setting) -> MadeNumbers | None:
    found = _indices(setting, 1)
    return one(found[0]) if found else None


_INDICES: Mapping[str, ValueMaker] = {
    "scalar": _index,
    "rank 2": _matrix,
    "with batches": _with_batches,
    "rank above 4": _shaped(1, 2, 1, 1, 2),
    "none": lambda s: MadeNumbers((), s.dice.one_of(((0,), (2, 0), (0, 3)))),
    "one": _shaped(1),
    "sorted": _either(lambda s: _ordered(s, sorted), _near_run(0, 1, 2, 4)),
    "reversed": lambda s: _ordered(s, lambda found: sorted(found, reverse=True)),
    "unsorted": _either(lambda s: _ordered(s, unsorted, 3), _near_run(0, 2, 1, 3)),
    "repeated": _either(_repeated, _near_run(0, 1, 1, 3)),
    "from the end": lambda s: several([-1 - at for at in _indices(s, s.dice.number(1, 3))]) if s.length else None,
    "from both ends": lambda s: several([*_indices(s, 1), *(-1 - at for at in _indices(s, 2))]) if s.length else None,
    "beyond 8 bits": _beyond(8),
    "beyond 16 bits": _beyond(16),
}


_NUMBER: Mapping[str, ValueMaker] = {
    "zero": lambda s: 0.0,
    "negative": lambda s: -float(s.dice.number(1, 9)),
    "a fraction": lambda s: s.dice.number(1, 7) / 8,
    "negative zero": lambda s: -0.0,
    "large": lambda s: 65504.0,
}


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


_BOUNDS: Mapping[str, ValueMaker] = {
    "none": lambda s: _axes(s, []),
    "from the front": _bounds(_place),
    "from the end": _bounds(_from_end),
    "from both ends": _bounds(lambda s, at, length: (_place if at else _from_end)(s, at, length), least=2),
    "beyond 8 bits": _bounds_beyond((256, 257, 300)),
    "beyond 16 bits": _bounds_beyond((1 << 16, (1 << 16) + 1, 70000)),
    "beyond 31 bits": _bounds_beyond(_FAR),
}


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


_STEPS: Mapping[str, ValueMaker] = {
    "one": _steps(lambda s: 1),
    "more than one": _steps(lambda s: s.dice.number(2, 4), 1, -1),
    "back by one": _steps(lambda s: -1, 1, 2, -2),
    "back by more": _steps(lambda s: -s.dice.number(2, 3), 1, 2, -1),
    "beyond 16 bits": _steps_beyond(((1 << 16) + 1, (1 << 16) + 3)),
    "beyond 31 bits": _steps_beyond(_FAR),
}


def _some_set(setting: Setting) -> MadeNumbers | None:
    if setting.count < 2:
        return None
    places = setting.dice.some_of(range(setting.count), setting.dice.number(1, setting.count - 1))
    if setting.dice.number(0, 1):  # where it shows whether dims that an entry adds or skips are counted
        places = [setting.count - 1]
    return several([int(place in places) for place in range(setting.count)])


_MASK: Mapping[str, ValueMaker] = {
    "unset": lambda s: several([0] * s.count) if s.count else None,
    "some": _some_set,
    "all": lambda s: several([1] * s.count) if s.count else None,
}
_FLAG: Mapping[str, ValueMaker] = {"off": lambda s: one(0), "on": lambda s: one(1)}

CHOICES: Mapping[ArgumentKind, Mapping[str, ValueMaker]] = {
    ArgumentKind.AXIS: _AXIS,
    ArgumentKind.AXES: _AXES,
    ArgumentKind.PERMUTATION: _PERMUTATION,
    ArgumentKind.SHAPE: _SHAPE,
    ArgumentKind.TARGET: TARGETS,
    ArgumentKind.LENGTHS: _LENGTHS,
    ArgumentKind.COUNT: _COUNT,
    ArgumentKind.INDICES: _INDICES,
    ArgumentKind.PLACES: PLACES,
    ArgumentKind.BOUNDS: _BOUNDS,
    ArgumentKind.STEPS: _STEPS,
    ArgumentKind.MASK: _MASK,
    ArgumentKind.FLAG: _FLAG,
    ArgumentKind.PADS: PADS,
    ArgumentKind.NUMBER: _NUMBER,
}
"""For each kind, its classes that can be asked for, with what makes a value of them; a mode has words of its own."""


def makers_of(way: Parameter) -> Mapping[str, ValueMaker]:
    """The classes of an argument that can be asked for, with what makes a value of them; none if none is known."""
    if way.kind is ArgumentKind.MODE:
        return {word: partial(_word, word) for word in way.one_of}
    return CHOICES.get(way.kind, {}) if way.kind is not None else {}


def _word(word: str, _: Setting) -> str:
    return word


def _unequal_dims(dice: Dice, rank: int) -> list[int]:
    return dice.some_of(range(2, 8), rank) if rank <= 4 else [dice.number(1, 3) for _ in range(rank)]


def _odd_dims(dice: Dice, rank: int) -> list[int]:
    return [dice.one_of((3, 5, 7, 11) if rank <= 3 else (1, 3)) for _ in range(rank)]


def _dims_of_1(dice: Dice, rank: int) -> list[int]:
    kept = dice.some_of(range(rank), dice.number(1, max(1, rank - 1)))
    return [dice.number(2, 4) if rank > 1 and dim in kept else 1 for dim in range(rank)]


def _without_elements(dice: Dice, rank: int) -> list[int]:
    empty = dice.number(0, rank - 1)
    return [0 if dim == empty else dice.number(1, 3) for dim in range(rank)]


def _long_dim(dice: Dice, rank: int) -> list[int]:
    """One dim near the width of a vector register, or longer than a byte can count."""
    long = dice.number(0, rank - 1)
    length = dice.one_of((*BESIDE_TILES, 259, 259, 263))
    return [length if dim == long else dice.number(1, 3 if rank < 4 else 2) for dim in range(rank)]


def _beside_tiles(dice: Dice, rank: int) -> list[int]:
    """One dim or two, or the number of all elements, beside a length of whole tiles."""
    long = dice.some_of(range(rank), 2)
    if rank > 1 and not dice.number(0, 2):
        factors = dice.one_of(((3, 5), (4, 4), (3, 11), (7, 9), (8, 8), (5, 13)))
    else:
        factors = (dice.one_of(BESIDE_TILES), dice.one_of((*BESIDE_TILES, 1)))
    return [factors[long.index(dim)] if dim in long else 1 for dim in range(rank)]


def _large(dice: Dice, rank: int) -> list[int]:
    """More than 2^16 elements, in one dim or in two."""
    if rank == 1:
        return [dice.number((1 << 16) + 1, (1 << 16) + 9)]
    long = dice.some_of(range(rank), 2)
    return [dice.number(257, 263) if dim in long else 1 for dim in range(rank)]


DIMS: Mapping[str, Callable[[Dice, int], list[int]]] = {
    "unequal": _unequal_dims,
    "equal": lambda dice, rank: [dice.number(2, 3) if rank < 5 else 2] * rank if rank > 1 else [],
    "of 1": _dims_of_1,
    "odd": _odd_dims,
    "without elements": _without_elements,
    "long": _long_dim,
    "beside tiles": _beside_tiles,
    "large": _large,
}
"""The classes of the dims of data, by rank from 1 on."""
RANKS = (0, 1, 2, 3, 4, 5, 6, 8, 9)
"""The ranks of data: a scalar, each usual one, one up to 8, and one beyond, where tables of a fixed size end."""
