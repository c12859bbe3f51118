"""Classes of arguments that say lengths: shapes, parts of an axis, paddings; and the shapes of data.

A value need not fit the operator: a call that does not is drawn again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from conformance.spec.making.setting import (
    TYPES,
    Class,
    Dice,
    MadeNumbers,
    NumbersMaker,
    Setting,
    ValueMaker,
    beyond,
    has_one,
    is_empty,
    one,
    several,
)

BESIDE_TILES = (15, 16, 17, 31, 32, 33, 63, 64, 65)
"""Lengths at which kernels go from whole vectors or tiles to what is left."""
FAR_WITHOUT_ELEMENTS = ((1 << 24) + 1, (1 << 24) + 3, (1 << 25) + 2)
"""Lengths that float32 does not hold: another dim has to be 0. Written cases ask for those beyond 31 bits."""
_MOST_COPIED = 16


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


SHAPE = (
    Class("none", is_empty, lambda s: several([])),
    Class("one", has_one, lambda s: several([math.prod(s.shape)])),
    Class("several", None, lambda s: several(_factors(s, s.dice.number(2, 5)))),
    Class("zero", lambda g: 0 in g.numbers, lambda s: _copied(s, inferred=False)),
    Class(
        "inferred",
        lambda g: -1 in g.numbers,
        lambda s: several(_with_inferred(s, _factors(s, s.dice.number(1, 4)))),
    ),
    Class("zero and inferred", lambda g: {0, -1} <= set(g.numbers), lambda s: _copied(s, inferred=True)),
    Class("more than 8", lambda g: len(g.numbers) > 8, lambda s: several(s.dice.shuffled([*_factors(s, 4), *[1] * 8]))),
    beyond(24, _long_without_elements),
    beyond(8),
    beyond(16),
    beyond(31),
    *TYPES,
)


def _own(setting: Setting, least: int = 1) -> list[int] | None:
    """The dims of the data at their places in an output of at least `least` dims, and 1 where it has no dim."""
    if setting.axes is None:
        return [*[1] * (least - setting.rank), *setting.shape]
    if len(setting.axes) != setting.rank or min(setting.axes, default=0) < 0:
        return None
    dims = dict(zip(setting.axes, setting.shape, strict=True))
    return [dims.get(dim, 1) for dim in range(max(least, 1 + max(setting.axes, default=-1)))]


def _stretched(draw: Callable[[Dice], int], most: int = 3) -> NumbersMaker:
    """The dims of the data with a drawn length in place of some of length 1, or as a new dim."""

    def made(setting: Setting) -> MadeNumbers | None:
        own = _own(setting, setting.rank + setting.dice.number(0, 1))
        ones = [dim for dim, length in enumerate(own or ()) if length == 1]
        if own is None or not ones:
            return None
        for dim in setting.dice.some_of(ones, setting.dice.number(1, most)):
            own[dim] = draw(setting.dice)
        return several(own)

    return made


def _of_more_dims(least: int, most: int) -> NumbersMaker:
    """The dims of the data and new ones; some of the new ones are as long as a dim of the data, or longer than 1."""

    def made(setting: Setting) -> MadeNumbers | None:
        own = _own(setting, max(setting.rank + 1, setting.dice.number(least, most)))
        if own is None:
            return None
        known = range(len(own))[len(own) - setting.rank :] if setting.axes is None else setting.axes
        copied = [length for length in setting.shape if 1 < length <= _MOST_COPIED]
        for dim in setting.dice.some_of([dim for dim in range(len(own)) if dim not in known], 3):
            own[dim] = setting.dice.one_of((1, 2, 3, *copied))
        return several(own)

    return made


def _with_ones(setting: Setting) -> MadeNumbers | None:
    """The dims of the data with a 1 in place of some that are longer."""
    own = _own(setting)
    long = [dim for dim, length in enumerate(own or ()) if length != 1]
    if own is None or not long:
        return None
    for dim in setting.dice.some_of(long, setting.dice.number(1, 2)):
        own[dim] = 1
    return several(own)


TARGET = (
    Class("none", is_empty, lambda s: several([])),
    Class("same", None, lambda s: None if (own := _own(s)) is None else several(own)),
    Class("longer", None, _stretched(lambda dice: dice.number(2, 4))),
    Class("zero", lambda g: 0 in g.numbers, _stretched(lambda dice: 0, most=1)),
    Class("more dims", lambda g: len(g.numbers) > len(g.shape), _of_more_dims(1, 4)),
    Class("more than 8", lambda g: len(g.numbers) > 8, _of_more_dims(9, 10)),
    beyond(8, _stretched(lambda dice: dice.number(256, 300), most=1)),
    beyond(16, _stretched(lambda dice: (1 << 16) + dice.number(1, 9), most=1)),
    beyond(24, _stretched(lambda dice: dice.one_of(FAR_WITHOUT_ELEMENTS), most=1)),
    Class("ones", None, _with_ones),
    Class(
        "fewer dims",
        lambda g: len(g.numbers) < len(g.shape),
        lambda s: several(s.shape[s.dice.number(1, s.rank) :]) if s.rank else None,
    ),
    Class("equal dims", lambda g: len(g.numbers) > 1 and len(set(g.numbers)) == 1 and g.numbers[0] > 1),
    beyond(31),
    *TYPES,
)


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


LENGTHS = (
    Class("one", has_one, lambda s: several([s.length])),
    Class("equal", lambda g: len(g.numbers) > 1 and len(set(g.numbers)) == 1, _equal),
    Class("unequal", lambda g: len(set(g.numbers)) > 1, _unequal),
    Class("zero first", lambda g: len(g.numbers) > 1 and g.numbers[0] == 0, _with_zero(lambda count: 0)),
    Class("zero inside", lambda g: 0 in g.numbers[1:-1], _with_zero(lambda count: 1)),
    Class("zero last", lambda g: len(g.numbers) > 1 and g.numbers[-1] == 0, _with_zero(lambda count: count)),
    Class("the rest", lambda g: -1 in g.numbers, _with_rest),
    Class("more than 16", lambda g: len(g.numbers) > 16, lambda s: several(_parts(s, s.dice.number(17, 20)))),
    beyond(16, _long_part),
    Class("more than 255", lambda g: len(g.numbers) > 255),
    beyond(8),
    beyond(24),
    beyond(31),
    *TYPES,
)


def _count(least: int, most: int) -> ValueMaker:
    """A number in these bounds; mostly one that divides the axis."""

    def made(setting: Setting) -> MadeNumbers:
        divisors = [number for number in range(least, min(most, setting.length) + 1) if setting.length % number == 0]
        return one(setting.dice.one_of(divisors or range(least, least + 3)))

    return made


COUNT = (
    Class("zero", lambda g: g.numbers[0] == 0, lambda s: one(0)),
    Class("one", lambda g: g.numbers[0] == 1, lambda s: one(1)),
    Class("2 to 16", lambda g: 2 <= g.numbers[0] <= 16, _count(2, 16)),
    Class("more than 16", lambda g: g.numbers[0] > 16, _count(17, 1 << 12)),
    Class("from the end", lambda g: g.numbers[0] < 0, lambda s: one(-s.dice.number(1, 4))),
)


def _pads(draw: Callable[[Setting, int], tuple[int, int]], least: int = 1, most: int = 3) -> NumbersMaker:
    """Two numbers for each entry of the lists of the call, some of them drawn from the length of its dim."""

    def made(setting: Setting) -> MadeNumbers | None:
        dims = range(setting.count) if setting.axes is None else setting.axes
        if setting.count < least or not all(-setting.rank <= dim < setting.rank for dim in dims):
            return None
        padded = setting.dice.some_of(range(setting.count), setting.dice.number(least, most))
        pairs = [draw(setting, setting.shape[dim]) if place in padded else (0, 0) for place, dim in enumerate(dims)]
        return several([pair[end] for end in range(2) for pair in pairs])

    return made


def _width(setting: Setting, length: int) -> int:
    """Of a padding; mostly less than the length."""
    return setting.dice.number(1, max(1, min(length - 1, 3)))


def _padded_on_both_sides(setting: Setting, length: int) -> tuple[int, int]:
    width = _width(setting, length)
    return width, width


def _padded_unequally_on_both_sides(setting: Setting, length: int) -> tuple[int, int]:
    width = _width(setting, length)
    return (width + 1, width) if setting.dice.number(0, 1) else (width, width + 1)


def _trimmed_on_one_side(setting: Setting, length: int) -> tuple[int, int]:
    width = _width(setting, length)
    return (-width, 0) if setting.dice.number(0, 1) else (0, -width)


def _adding_or_removing(setting: Setting) -> MadeNumbers | None:
    """One dim gets longer, and another one, or its other end, shorter."""
    added, removed = _pads(_padded_on_both_sides, most=1)(setting), _pads(_trimmed_on_one_side, most=1)(setting)
    if added is None or removed is None:
        return None
    return several([less or more for more, less in zip(added.items, removed.items, strict=True)])


PADS = (
    Class("zero", lambda g: not any(g.numbers), _pads(lambda s, length: (0, 0), least=0)),
    Class(
        "before",
        lambda g: any(number > 0 for number in g.numbers[: len(g.numbers) // 2]),
        _pads(lambda s, length: (_width(s, length), 0)),
    ),
    Class(
        "behind",
        lambda g: any(number > 0 for number in g.numbers[len(g.numbers) // 2 :]),
        _pads(lambda s, length: (0, _width(s, length))),
    ),
    Class("around", None, _pads(_padded_on_both_sides)),
    Class("unequal", None, _pads(_padded_unequally_on_both_sides)),
    Class("removing", lambda g: bool(g.from_end), _pads(_trimmed_on_one_side)),
    Class(
        "adding and removing",
        lambda g: min(g.numbers, default=0) < 0 < max(g.numbers, default=0),
        _adding_or_removing,
    ),
    Class(
        "beyond the dim",
        None,
        _pads(lambda s, length: (length + s.dice.number(1, 3), length + s.dice.number(0, 2)), most=1),
    ),
    beyond(8, _pads(lambda s, length: (s.dice.number(0, 1), s.dice.number(256, 300)), most=1)),
    beyond(16, _pads(lambda s, length: (s.dice.number(0, 1), (1 << 16) + s.dice.number(1, 9)), most=1)),
    beyond(24, _pads(lambda s, length: (0, s.dice.one_of(FAR_WITHOUT_ELEMENTS)), most=1)),
    beyond(31),
)
NUMBER = (
    Class("zero", None, lambda s: 0.0),
    Class("negative", None, lambda s: -float(s.dice.number(1, 9))),
    Class("a fraction", None, lambda s: s.dice.number(1, 7) / 8),
    Class("negative zero", None, lambda s: -0.0),
    Class("large", None, lambda s: 65504.0),
)
"""Numbers that stand in an output."""


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
